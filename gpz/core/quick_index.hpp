// SPDX-License-Identifier: BSD-3-Clause
// Grid indices of floats by three operations in float, where they are certain to be those of quantize().
#pragma once

#include <cmath>

#include "gpz/core/config.hpp"
#include "gpz/core/types.hpp"

namespace gpz::core {
inline namespace GPZ_ISA {

// 1.5 * 2^23: what rounding_magic is to doubles.
inline constexpr float quick_magic = 12582912.0F;

// A value in units of the step, rounded. `shifted` is quick_magic + index: its bits, less those of quick_magic, are the
// index, and they ascend with the value. `fraction` is what rounding took away.
struct QuickIndex {
  float shifted;
  float fraction;
};

// With p = x * (1 / step) exactly, and `inverse` the float next to 1 / step: x * inverse is off p by at most |p| *
// slope, and `fraction`, of a magnitude of at most 1/2, by its rounding of 2^-25 beyond that. So
// - index is that of quantize() if |fraction| + |p| * slope + 2^-25 < 1/2;
// - the grid value, index * step, is off x by at most (|fraction| + |p| * slope + 2^-25) steps, and its rounding to a
//   float adds at most |index| * 2^-24 steps.
class QuickGrid {
 public:
  GPZ_HD explicit QuickGrid(const Grid &grid)
      : inverse_(static_cast<float>(grid.inverse_step)), step_(grid.step), inverse_step_(grid.inverse_step) {}

  GPZ_HD QuickIndex operator()(float x) const {
    const float shifted = fmaf(x, inverse_, quick_magic);
    return {shifted, fmaf(x, inverse_, quick_magic - shifted)};
  }

  // Values whose |fraction| is not above this, and whose |index| is not above `reach`, have the index of quantize() and
  // an error of at most `error`. Below 0 if no value is certain.
  GPZ_HD float certain(double error, std::uint32_t reach) const {
    // No float is subnormal or overflows on the way.
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

// The index of the bits of a `shifted`.
inline constexpr std::uint32_t quick_magic_bits = 0x4B400000;
GPZ_HD std::int32_t quick_index(std::int32_t bits) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits) - quick_magic_bits);
}

// Whether all values between two are between 2^23 and 2^24 in `shifted`, where floats are integers; NaN and infinities
// never are. `low` and `high` are the smallest and the largest bits, as integers.
inline constexpr std::int32_t quick_reach = 0x3FFFFF;
GPZ_HD bool quick_in_range(std::int32_t low, std::int32_t high) {
  return low >= static_cast<std::int32_t>(quick_magic_bits) - quick_reach &&
         high <= static_cast<std::int32_t>(quick_magic_bits) + quick_reach;
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
