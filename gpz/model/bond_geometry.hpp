// SPDX-License-Identifier: BSD-3-Clause
// Where a particle may be that is bound to earlier ones: on a sphere around one, or on a circle around two
// (docs/format.md, section 10b). Integers only, so that encoder and decoder expect the same.
#pragma once

#include <array>
#include <cstdint>

#include "gpz/core/residual.hpp"
#include "gpz/model/integer_root.hpp"

namespace gpz::model {

inline constexpr int fraction_bits = 6;                       // expectations are in units of 1/64 grid step
inline constexpr std::uint32_t longest_bond = 1u << 26;       // in 1/64 steps
inline constexpr std::uint32_t longest_of_circle = 1u << 19;  // where products of four lengths fit

// A way between two particles, one component an axis.
using Way = std::array<std::int64_t, core::max_components>;

// Bonds of one kind lead to earlier particles, some slots before, whose distances are fixed.
struct BondKind {
  std::array<std::uint32_t, 2> lag{};     // slots; the second one 0: a sphere
  std::array<std::uint32_t, 2> length{};  // in 1/64 steps

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

// The components of the way from the first parent to the particle are decoded one after the other, in an order that
// the expected way decides: what is known of the first ones says where the last ones are.
class BoundWay {
 public:
  // Classes of residuals that resemble each other, for contexts.
  static constexpr int classes = 7;

  // `expected`: in 1/64 steps, from the first parent; below 2^40 in magnitude. `between`: in whole steps, from the
  // first parent to the second (find_way); not used for spheres.
  BoundWay(const BondKind &kind, const Way &expected, const Way &between) : expected_(expected) {
    if (kind.is_circle()) {
      shift_ = circle_shift(kind);
      circle_ = true;
      for (std::size_t d = 0; d < between.size(); ++d) {
        between_[d] = between[d] * (std::int64_t{1} << shift_);
        circle_ = circle_ && magnitude(between_[d]) < 2 * circle_end;
      }
    }
    if (circle_)
      start_circle(kind);
    else
      start_sphere(kind);
  }

  // The axis of step 0, 1, 2.
  std::size_t axis(int step) const { return axis_[static_cast<std::size_t>(step)]; }
  // Its expected component, in 1/64 steps.
  std::int64_t expected(int step) const { return expected_[axis(step)]; }
  int class_of(int step) const {
    if (circle_) return step == 0 ? 5 : 6;
    return step < 2 ? 0 : 1 + level_;
  }

  // The component of the axis of this step, in whole steps. In the order of the steps.
  void know(int step, std::int64_t way) {
    if (step == 2) return;
    if (!circle_) {
      left_ -= square_of(way, std::int64_t{longest_bond} << 1, fraction_bits);
      if (step == 1) cut_sphere();
    } else if (step == 0) {
      cut_circle(way);
    } else {
      choose_cut(way);
    }
  }

 private:
  // Circles are computed in units in which their lengths are below this.
  static constexpr std::int64_t circle_end = 1 << 13;

  static std::int64_t magnitude(std::int64_t x) { return x < 0 ? -x : x; }
  // x times 2^bits, within +-most.
  static std::int64_t scaled(std::int64_t x, std::int64_t most, int bits) {
    const std::int64_t limit = most >> bits;
    return (x > limit ? limit : x < -limit ? -limit : x) * (std::int64_t{1} << bits);
  }
  static std::int64_t square_of(std::int64_t x, std::int64_t most, int bits) {
    const std::int64_t limited = scaled(x, most, bits);
    return limited * limited;
  }
  static std::size_t next(std::size_t axis) { return axis == 2 ? 0 : axis + 1; }
  // The axis of the largest component comes at step `last`, the others in their turn behind it.
  void set_order(const Way &way, bool largest_last) {
    std::size_t largest = magnitude(way[1]) > magnitude(way[0]) ? 1 : 0;
    if (magnitude(way[2]) > magnitude(way[largest])) largest = 2;
    const std::size_t first = largest_last ? next(largest) : largest;
    axis_ = {first, next(first), next(next(first))};
  }

  void start_sphere(const BondKind &kind) {
    length_ = kind.length[0];
    left_ = length_ * length_;
    set_order(expected_, true);
  }

  // Two components are known, and so the third is but for its side.
  void cut_sphere() {
    level_ = 0;
    // The bond is longer than rounding explains: it holds no more.
    if (left_ < -4 * length_ * (1 << fraction_bits)) return;
    const std::int64_t root = integer_root(left_);
    // The smaller the component, the more its rounding and that of the others counts.
    const std::int64_t part = root * 16;
    level_ = part >= 13 * length_ ? 3 : part >= 10 * length_ ? 2 : part >= 8 * length_ ? 1 : 0;
    std::int64_t &third = expected_[axis_[2]];
    third = third < 0 ? -root : root;
  }

  static int circle_shift(const BondKind &kind) {
    const std::uint32_t longer = kind.length[0] > kind.length[1] ? kind.length[0] : kind.length[1];
    const int bits = core::bit_length(longer >> fraction_bits);
    return bits < 13 - fraction_bits ? fraction_bits : 13 - bits;
  }

  void start_circle(const BondKind &kind) {
    const auto square = [&](std::size_t k) {
      const auto length = std::int64_t{kind.length[k]};
      return length * length >> 2 * (fraction_bits - shift_);
    };
    left_ = square(0);
    const Way &b = between_;
    // The plane of the circle: the way times `between` is this.
    plane_ = (left_ - square(1) + b[0] * b[0] + b[1] * b[1] + b[2] * b[2]) >> 1;
    // First the axis along which the circle goes.
    const Way &e = expected_;
    const Way along{e[1] * b[2] - e[2] * b[1], e[2] * b[0] - e[0] * b[2], e[0] * b[1] - e[1] * b[0]};
    set_order(along, false);
  }

  // One component is known: the circle has two points there.
  void cut_circle(std::int64_t way) {
    const std::int64_t x = scaled(way, 2 * circle_end, shift_);
    const std::int64_t by = between_[axis_[1]];
    const std::int64_t bz = between_[axis_[2]];
    const std::int64_t square = by * by + bz * bz;
    const std::int64_t rest = plane_ - x * between_[axis_[0]];
    const std::int64_t root = integer_root((left_ - x * x) * square - rest * rest);
    const std::int64_t unit = std::int64_t{1} << (fraction_bits - shift_);
    const Way expected{0, expected_[axis_[1]], expected_[axis_[2]]};
    std::array<std::int64_t, 2> distance{};
    for (std::size_t k = 0; k < 2; ++k) {
      const std::int64_t side = k == 0 ? root : -root;
      cut_[k] = {expected[1], expected[2]};
      if (square != 0) cut_[k] = {(rest * by - side * bz) * unit / square, (rest * bz + side * by) * unit / square};
      distance[k] = magnitude(cut_[k][0] - expected[1]) + magnitude(cut_[k][1] - expected[2]);
    }
    nearer_ = distance[1] < distance[0] ? 1 : 0;
    expected_[axis_[1]] = cut_[nearer_][0];
    expected_[axis_[2]] = cut_[nearer_][1];
  }

  // Two components are known: the other point it is if that is clearly nearer to them.
  void choose_cut(std::int64_t way) {
    const std::int64_t y = scaled(way, std::int64_t{1} << 40, fraction_bits);
    const std::array<std::int64_t, 2> &other = cut_[nearer_ == 0 ? 1 : 0];
    const std::int64_t clear = 2 * (1 << fraction_bits);
    if (magnitude(other[0] - y) + clear < magnitude(cut_[nearer_][0] - y)) expected_[axis_[2]] = other[1];
  }

  Way expected_;
  std::array<std::size_t, core::max_components> axis_{};
  bool circle_ = false;
  int level_ = 0;            // of a sphere: how well the third component is known, 0 to 3
  std::int64_t length_ = 0;  // of a sphere
  std::int64_t left_ = 0;    // squared length less the squares of the known components
  // Of a circle, in units of 2^-shift_ steps.
  int shift_ = 0;
  Way between_{};
  std::int64_t plane_ = 0;
  std::array<std::array<std::int64_t, 2>, 2> cut_{};  // its points, in 1/64 steps
  std::size_t nearer_ = 0;                            // to what was expected
};

}  // namespace gpz::model
