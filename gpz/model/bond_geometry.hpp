// SPDX-License-Identifier: BSD-3-Clause
// Predicts a particle that is bound to earlier ones: it lies on a sphere around one particle or on a circle around two
// (docs/format.md, section 10b). Integer arithmetic only, so that encoder and decoder compute the same values.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>

#include "gpz/core/residual.hpp"
#include "gpz/crystal/integers.hpp"

namespace gpz::model {

inline constexpr int fraction_bits = 6;                  // unit of expected vectors: 1/64 grid step
inline constexpr std::uint32_t longest_bond = 1u << 26;  // in 1/64 steps
inline constexpr std::uint32_t longest_of_circle = 1u
                                                   << 19;  // in 1/64 steps; products of four lengths fit into 64 bits

// Vector between two particles, one component per axis.
using Way = std::array<std::int64_t, core::max_components>;

// One kind of bond: the lags to the parent and, for a circle, to a second particle. Both are in earlier slots.
struct BondKind {
  std::array<std::uint32_t, 2> lag{};     // in slots; the second is 0 if there is only a parent
  std::array<std::uint32_t, 2> length{};  // in 1/64 steps; the first is 0 if the length varies

  bool is_fixed() const { return length[0] != 0; }
  bool is_circle() const { return lag[1] != 0; }
};

// Computes the vector from `from` to `to` in whole steps. Returns false if a component is too long for a bond.
inline bool find_way(const Way &from, const Way &to, const core::GridBox &box, Way &way) {
  constexpr std::int64_t most = longest_bond >> fraction_bits;
  bool is_near = true;
  for (std::size_t d = 0; d < way.size(); ++d) {
    way[d] = core::displacement(to[d], from[d], box[d]);
    is_near = is_near && way[d] <= most && way[d] >= -most;
  }
  return is_near;
}

// Predicts the vector from the parent to a particle with fixed bonds, one component after the other. The components
// known so far determine the others, except for a choice between two sides.
class BoundWay {
 public:
  // Classes of similar residuals, from which contexts follow. Classes below `expected_classes` occur if a vector is
  // expected.
  static constexpr int expected_classes = 14;
  static constexpr int classes = 24;

  // For the expected vector `expected`, in 1/64 steps and below 2^40 in magnitude. `between` is the vector from the
  // parent to the second particle of a circle (find_way), in whole steps.
  BoundWay(const BondKind &kind, const Way &expected, const Way &between) : expected_(expected) {
    start(kind, between);
    if (circle_) {
      // Start with the axis closest to the circle's tangent; the others follow cyclically.
      const Way &e = expected_;
      const Way &b = between_;
      const Way along{e[1] * b[2] - e[2] * b[1], e[2] * b[0] - e[0] * b[2], e[0] * b[1] - e[1] * b[0]};
      set_order(largest_of(along));
    } else {
      set_order(next(largest_of(expected_)));
    }
  }
  // For a vector of any direction.
  BoundWay(const BondKind &kind, const Way &between) : anywhere_(true) {
    start(kind, between);
    if (!circle_) {
      set_order(0);
      return;
    }
    // Expect the centre of the circle. Start with an axis along which the circle is wide.
    const Way &b = between_;
    const std::int64_t square = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    for (std::size_t d = 0; d < b.size() && square != 0; ++d) expected_[d] = plane_ * b[d] * unit() / square;
    set_order(smallest_of(b));
  }

  // Axis of step 0, 1 or 2.
  std::size_t axis(int step) const { return axis_[static_cast<std::size_t>(step)]; }
  // Expected component on this axis, in 1/64 steps.
  std::int64_t expected(int step) const { return expected_[axis(step)]; }
  int class_of(int step) const {
    if (circle_) return step != 0 ? 8 + level_ : anywhere_ ? 23 : 7;
    if (step == 2) return 1 + level_;
    return !anywhere_ ? 0 : step == 0 ? 14 : 15 + level_;
  }

  // True if a second point, on the other side, has the same known components at this step.
  bool has_side(int step) const { return step == (circle_ ? 1 : 2); }
  // True if the actual vector, in whole steps, is nearer to the second point.
  bool is_on_other_side(const Way &way) const {
    if (!circle_) return (way[axis_[2]] < 0) != (expected_[axis_[2]] < 0);
    return distance_to(way, 1 - nearer_) < distance_to(way, nearer_);
  }
  void take_side(bool other) {
    if (circle_)
      take_cut(nearer_ ^ (other ? 1U : 0U));
    else
      expected_[axis_[2]] *= 1 - 2 * static_cast<std::int64_t>(other);
  }

  // Sets the component decoded at this step, in whole steps. Call in the order of the steps.
  void update(int step, std::int64_t way) {
    if (step == 2) return;
    if (circle_) {
      if (step == 0)
        cut_circle(way);
      else
        choose_cut(way);
      return;
    }
    const std::int64_t x = scaled(way, std::int64_t{longest_bond} << 1, fraction_bits);
    left_ -= x * x;
    if (step == 1)
      cut_sphere();
    else
      level_ = left_ <= 0 ? 0 : static_cast<int>(left_ * 7 / (length_ * length_));
  }

 private:
  // Circles are computed in units of 2^-shift_ steps, chosen so that their lengths stay below this.
  static constexpr std::int64_t circle_end = 1 << 13;

  // Returns x times 2^bits, limited to +-most.
  static std::int64_t scaled(std::int64_t x, std::int64_t most, int bits) {
    return crystal::limited(x, most >> bits) * (std::int64_t{1} << bits);
  }
  static std::size_t next(std::size_t axis) { return axis == 2 ? 0 : axis + 1; }
  static std::size_t largest_of(const Way &way) {
    const std::size_t largest = std::abs(way[1]) > std::abs(way[0]) ? 1 : 0;
    return std::abs(way[2]) > std::abs(way[largest]) ? 2 : largest;
  }
  static std::size_t smallest_of(const Way &way) {
    const std::size_t smallest = std::abs(way[1]) < std::abs(way[0]) ? 1 : 0;
    return std::abs(way[2]) < std::abs(way[smallest]) ? 2 : smallest;
  }
  void set_order(std::size_t first) { axis_ = {first, next(first), next(next(first))}; }
  std::int64_t unit() const { return std::int64_t{1} << (fraction_bits - shift_); }

  void start(const BondKind &kind, const Way &between) {
    if (kind.is_circle()) {
      const std::uint32_t longer = kind.length[0] > kind.length[1] ? kind.length[0] : kind.length[1];
      const int bits = core::bit_length(longer >> fraction_bits);
      shift_ = bits < 13 - fraction_bits ? fraction_bits : 13 - bits;
      circle_ = true;
      for (std::size_t d = 0; d < between.size(); ++d) {
        between_[d] = between[d] * (std::int64_t{1} << shift_);
        circle_ = circle_ && std::abs(between_[d]) < 2 * circle_end;
      }
    }
    length_ = kind.length[0];
    left_ = length_ * length_;
    if (!circle_) return;
    const auto square = [&](std::int64_t length) { return length * length >> 2 * (fraction_bits - shift_); };
    left_ = square(length_);
    // The circle lies in a plane: this is the dot product of its vectors with `between`.
    const Way &b = between_;
    plane_ = (left_ - square(kind.length[1]) + b[0] * b[0] + b[1] * b[1] + b[2] * b[2]) >> 1;
  }

  // Two components are known, which determine the third except for its sign.
  void cut_sphere() {
    level_ = 5;
    // The known components exceed the length by more than rounding explains: ignore the bond.
    if (left_ < -4 * length_ * (1 << fraction_bits)) return;
    const std::int64_t root = crystal::integer_root(left_);
    // The smaller the third component, the more the rounding of all three matters.
    const std::int64_t part = root * 16;
    level_ = 0;
    for (const std::int64_t least : {13, 10, 8, 4, 2}) level_ += part < least * length_ ? 1 : 0;
    std::int64_t &third = expected_[axis_[2]];
    const std::int64_t negative = third >> 63;
    third = (root ^ negative) - negative;
  }

  // One component is known. The circle has two points with this component.
  void cut_circle(std::int64_t way) {
    const std::int64_t x = scaled(way, 2 * circle_end, shift_);
    const std::int64_t by = between_[axis_[1]];
    const std::int64_t bz = between_[axis_[2]];
    const std::int64_t square = by * by + bz * bz;
    const std::int64_t rest = plane_ - x * between_[axis_[0]];
    const std::int64_t cut = (left_ - x * x) * square - rest * rest;
    const std::int64_t root = crystal::integer_root(cut);
    for (std::size_t k = 0; k < 2; ++k) {
      const std::int64_t side = k == 0 ? root : -root;
      cut_[k] = {expected_[axis_[1]], expected_[axis_[2]]};
      if (square != 0) cut_[k] = {(rest * by - side * bz) * unit() / square, (rest * bz + side * by) * unit() / square};
    }
    // The closer the two points, the more rounding matters.
    const int least = core::bit_length(static_cast<std::uint64_t>(cut < 0 ? 0 : cut));
    const int level = (core::bit_length(static_cast<std::uint64_t>(left_ * square)) - least) / 2;
    level_ = level > 5 ? 5 : level < 0 ? 0 : level;
    const auto off = [&](std::size_t k) {
      return std::abs(cut_[k][0] - expected_[axis_[1]]) + std::abs(cut_[k][1] - expected_[axis_[2]]);
    };
    take_cut(off(1) < off(0) ? 1 : 0);
  }

  // Two components are known: switch to the other point if it is clearly nearer to them.
  void choose_cut(std::int64_t way) {
    const std::int64_t y = scaled(way, std::int64_t{1} << 40, fraction_bits);
    const std::int64_t clear = 2 * (1 << fraction_bits);
    if (std::abs(cut_[1 - nearer_][0] - y) + clear < std::abs(cut_[nearer_][0] - y)) take_cut(1 - nearer_);
  }

  void take_cut(std::size_t k) {
    nearer_ = k;
    expected_[axis_[1]] = cut_[k][0];
    expected_[axis_[2]] = cut_[k][1];
  }
  std::int64_t distance_to(const Way &way, std::size_t k) const {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    return std::abs(cut_[k][0] - scaled(way[axis_[1]], most, fraction_bits)) +
           std::abs(cut_[k][1] - scaled(way[axis_[2]], most, fraction_bits));
  }

  Way expected_{};
  std::array<std::size_t, core::max_components> axis_{};
  bool anywhere_ = false;
  bool circle_ = false;
  int level_ = 0;            // certainty of the next component, 0 is best
  std::int64_t length_ = 0;  // of the first bond, in 1/64 steps
  std::int64_t left_ = 0;    // length_ squared less the squares of the known components
  // For circles only, in units of 2^-shift_ steps. left_ then has these units as well.
  int shift_ = 0;
  Way between_{};
  std::int64_t plane_ = 0;
  std::array<std::array<std::int64_t, 2>, 2> cut_{};  // the two points, in 1/64 steps
  std::size_t nearer_ = 0;                            // the point nearer to the expected vector
};

}  // namespace gpz::model
