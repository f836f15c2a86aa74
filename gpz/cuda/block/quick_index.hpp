// SPDX-License-Identifier: BSD-3-Clause
// Grid indices of floats from three float operations, for values where the result provably equals that of quantize().
#pragma once

#include <cmath>

#include "gpz/core/config.hpp"
#include "gpz/core/types.hpp"

namespace gpz::core {
inline namespace GPZ_ISA {

// 1.5 * 2^23, the float counterpart of rounding_magic.
inline constexpr float quick_magic = 12582912.0F;

// A value in units of the step, rounded. `shifted` is quick_magic + index: its bits, less those of quick_magic, are the
// index, and they ascend with the value. `fraction` is the value in steps less the index.
struct QuickIndex {
  float shifted;
  float fraction;
};

// With p = x * (1 / step) exactly, and `inverse` the float next to 1 / step: x * inverse differs from p by at most |p|
// * slope, and `fraction` (at most 1/2 in magnitude) by 2^-25 more, from rounding. Therefore
// - index is that of quantize() if |fraction| + |p| * slope + 2^-25 < 1/2;
// - the grid value, index * step, differs from x by at most (|fraction| + |p| * slope + 2^-25) steps, and its rounding
//   to a
//   float adds at most |index| * 2^-24 steps.
class QuickGrid {
 public:
  GPZ_HD explicit QuickGrid(const Grid &grid)
      : inverse_(static_cast<float>(grid.inverse_step)), step_(grid.step), inverse_step_(grid.inverse_step) {}

  GPZ_HD QuickIndex operator()(float x) const {
    const float shifted = fmaf(x, inverse_, quick_magic);
    return {shifted, fmaf(x, inverse_, quick_magic - shifted)};
  }

  // Largest safe |fraction|: with it, and |index| <= reach, the index equals that of quantize() and the error is at
  // most `error`. Negative if no value is safe.
  GPZ_HD float certain(double error, std::uint32_t reach) const {
    // Within these limits no intermediate float is subnormal or overflows.
    if (!(step_ > 0x1p-100 && step_ < 0x1p100)) return -1.0F;
    const double off = static_cast<double>(inverse_) - inverse_step_;
    const double slope = (off < 0 ? -off : off) * step_ + 0x1.1p-24;
    const double most = error * inverse_step_;
    return static_cast<float>((most < 0.5 ? most : 0.5) - (static_cast<double>(reach) + 1) * slope - 0x1p-22);
  }

 private:
  float inverse_;
  double step_;
  double inverse_step_;
};

// Converts the bits of `shifted` to the index.
inline constexpr std::uint32_t quick_magic_bits = 0x4B400000;
GPZ_HD std::int32_t quick_index(std::int32_t bits) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits) - quick_magic_bits);
}

// True if all `shifted` lie between 2^23 and 2^24, where floats are integers. `low` and `high` are the smallest and
// largest bit patterns as integers. NaN and infinities are out of range.
inline constexpr std::int32_t quick_reach = 0x3FFFFF;
GPZ_HD bool quick_in_range(std::int32_t low, std::int32_t high) {
  return low >= static_cast<std::int32_t>(quick_magic_bits) - quick_reach &&
         high <= static_cast<std::int32_t>(quick_magic_bits) + quick_reach;
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
