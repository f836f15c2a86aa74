// SPDX-License-Identifier: BSD-3-Clause
// Where a particle may be that is bound to earlier ones: on a sphere around one, or on a circle around two
// (docs/format.md, section 10b). Integers only, so that encoder and decoder expect the same.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>

#include "gpz/core/residual.hpp"
#include "gpz/crystal/integers.hpp"

namespace gpz::model {

inline constexpr int fraction_bits = 6;                       // expectations are in units of 1/64 grid step
inline constexpr std::uint32_t longest_bond = 1u << 26;       // in 1/64 steps
inline constexpr std::uint32_t longest_of_circle = 1u << 19;  // where products of four lengths fit

// A way between two particles, one component an axis.
using Way = std::array<std::int64_t, core::max_components>;

// Bonds of one kind lead to earlier particles, some slots before: the parent and, for a circle, a second one.
struct BondKind {
  std::array<std::uint32_t, 2> lag{};     // slots; the second one 0: there is only a parent
  std::array<std::uint32_t, 2> length{};  // in 1/64 steps; the first one 0: it varies

  bool is_fixed() const { return length[0] != 0; }
  bool is_circle() const { return lag[1] != 0; }
};

// The way from `from` to `to`, in whole steps. False if it is too long for a bond.
inline bool find_way(const Way &from, const Way &to, const core::GridBox &box, Way &way) {
  constexpr std::int64_t most = longest_bond >> fraction_bits;
  bool is_near = true;
  for (std::size_t d = 0; d < way.size(); ++d) {
    way[d] = core::displacement(to[d], from[d], box[d]);
    is_near = is_near && way[d] <= most && way[d] >= -most;
  }
  return is_near;
}

// The components of the way from the parent to a particle whose bonds are fixed are decoded one after the other: what
// is known of the first ones says where the last ones are, on one of two sides.
class BoundWay {
 public:
  // Classes of residuals that resemble each other, for contexts. Those below `expected_classes` occur where a way is
  // expected.
  static constexpr int expected_classes = 14;
  static constexpr int classes = 24;

  // A way for which `expected` is expected, in 1/64 steps and below 2^40 in magnitude. `between`: from the parent to
  // the second particle of a circle (find_way), in whole steps.
  BoundWay(const BondKind &kind, const Way &expected, const Way &between) : expected_(expected) {
    start(kind, between);
    if (circle_) {
      // First the axis along which the circle goes, then the others in their turn.
      const Way &e = expected_;
      const Way &b = between_;
      const Way along{e[1] * b[2] - e[2] * b[1], e[2] * b[0] - e[0] * b[2], e[0] * b[1] - e[1] * b[0]};
      set_order(largest_of(along));
    } else {
      set_order(next(largest_of(expected_)));
    }
  }
  // A way that may have any direction.
  BoundWay(const BondKind &kind, const Way &between) : anywhere_(true) {
    start(kind, between);
    if (!circle_) {
      set_order(0);
      return;
    }
    // From the middle of the circle; first an axis along which it is wide.
    const Way &b = between_;
    const std::int64_t square = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    for (std::size_t d = 0; d < b.size() && square != 0; ++d) expected_[d] = plane_ * b[d] * unit() / square;
    set_order(smallest_of(b));
  }

  // The axis of step 0, 1, 2.
  std::size_t axis(int step) const { return axis_[static_cast<std::size_t>(step)]; }
  // Its expected component, in 1/64 steps.
  std::int64_t expected(int step) const { return expected_[axis(step)]; }
  int class_of(int step) const {
    if (circle_) return step != 0 ? 8 + level_ : anywhere_ ? 23 : 7;
    if (step == 2) return 1 + level_;
    return !anywhere_ ? 0 : step == 0 ? 14 : 15 + level_;
  }

  // Whether at this step there is another point with the components that are known, on the other side.
  bool has_side(int step) const { return step == (circle_ ? 1 : 2); }
  // Whether the actual way, in whole steps, is nearer to that one.
  bool is_on_other_side(const Way &way) const {
    if (!circle_) return (way[axis_[2]] < 0) != (expected_[axis_[2]] < 0);
    return distance_to(way, 1 - nearer_) < distance_to(way, nearer_);
  }
  void take_other_side() {
    if (circle_)
      take_cut(1 - nearer_);
    else
      expected_[axis_[2]] = -expected_[axis_[2]];
  }

  // The component of the axis of this step, in whole steps. In the order of the steps.
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
  // Circles are computed in units of 2^-shift_ steps in which their lengths are below this.
  static constexpr std::int64_t circle_end = 1 << 13;

  // x times 2^bits, within +-most.
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
    // The plane of the circle: the way times `between` is this.
    const Way &b = between_;
    plane_ = (left_ - square(kind.length[1]) + b[0] * b[0] + b[1] * b[1] + b[2] * b[2]) >> 1;
  }

  // Two components are known, and so the third is, on one of two sides.
  void cut_sphere() {
    level_ = 5;
    // The bond is longer than rounding explains: it holds no more.
    if (left_ < -4 * length_ * (1 << fraction_bits)) return;
    const std::int64_t root = crystal::integer_root(left_);
    // The smaller the component, the more its rounding and that of the others counts.
    const std::int64_t part = root * 16;
    level_ = part >= 13 * length_   ? 0
             : part >= 10 * length_ ? 1
             : part >= 8 * length_  ? 2
             : part >= 4 * length_  ? 3
             : part >= 2 * length_  ? 4
                                    : 5;
    std::int64_t &third = expected_[axis_[2]];
    third = third < 0 ? -root : root;
  }

  // One component is known: the circle has two points there.
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
    // The nearer the two points are, the more rounding counts.
    const int least = core::bit_length(static_cast<std::uint64_t>(cut < 0 ? 0 : cut));
    const int level = (core::bit_length(static_cast<std::uint64_t>(left_ * square)) - least) / 2;
    level_ = level > 5 ? 5 : level < 0 ? 0 : level;
    const auto off = [&](std::size_t k) {
      return std::abs(cut_[k][0] - expected_[axis_[1]]) + std::abs(cut_[k][1] - expected_[axis_[2]]);
    };
    take_cut(off(1) < off(0) ? 1 : 0);
  }

  // Two components are known: the other point it is if that is clearly nearer to them.
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
  int level_ = 0;            // how well the next component is known: 0 best
  std::int64_t length_ = 0;  // of the first bond, in 1/64 steps
  std::int64_t left_ = 0;    // its square less the squares of the known components
  // Of a circle, in units of 2^-shift_ steps, as left_ is then.
  int shift_ = 0;
  Way between_{};
  std::int64_t plane_ = 0;
  std::array<std::array<std::int64_t, 2>, 2> cut_{};  // its points, in 1/64 steps
  std::size_t nearer_ = 0;                            // to what was expected
};

}  // namespace gpz::model
