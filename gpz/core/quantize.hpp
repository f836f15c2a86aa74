// Stage 1 of the paper (section 4.1): values to indices of a grid, with the bound checked for each of them.
#pragma once

#include "gpz/core/config.hpp"
#include "gpz/core/types.hpp"

namespace gpz::core {
inline namespace GPZ_ISA {

// Adding 1.5 * 2^52 rounds a double of up to 2^51 to the nearest integer (ties to even), which then stands in its low
// bits: rounding and conversion in one addition, on every processor the same.
inline constexpr double rounding_magic = 6755399441055744.0;
inline constexpr double largest_index = 2251799813685247.0;  // 2^51 - 1

GPZ_HD double magnitude(double x) { return x < 0 ? -x : x; }

// The value of grid index `index` (docs/format.md, section 7). T is float or double.
template <typename T>
GPZ_HD T grid_value(double index, double step) {
  return static_cast<T>(index * step);
}

// min + delta as a double, by the addition that quantize() uses, backwards: no conversion instruction is needed. Exact
// while min, min + delta and delta stay below 2^52 in magnitude, which keys_in_range() sees to.
GPZ_HD double index_as_double(double min, std::uint64_t delta) {
  constexpr double two_52 = 4503599627370496.0;
  return bit_cast<double>(std::uint64_t{0x4330000000000000} | delta) - (two_52 - min);
}

struct Quantized {
  double rounded;      // the index as a double
  std::int64_t index;  // the same as an integer; meaningless unless valid
  double error;        // |x - grid value|
  bool valid;          // the grid holds x within the bound
};

// The test is `error < bound`, not `<=`: the subtraction rounds monotonically, so a computed error below the bound
// proves a true error of at most the bound. Comparisons are false for NaN, which makes NaN and infinities invalid.
template <typename T>
GPZ_HD Quantized quantize(T x, const Grid &grid) {
  const double wide = static_cast<double>(x);
  const double scaled = wide * grid.inverse_step;
  const double shifted = scaled + rounding_magic;
  Quantized out;
  out.rounded = shifted - rounding_magic;
  out.index = static_cast<std::int64_t>(bit_cast<std::uint64_t>(shifted) - bit_cast<std::uint64_t>(rounding_magic));
  out.error = magnitude(wide - static_cast<double>(grid_value<T>(out.rounded, grid.step)));
  out.valid = (magnitude(scaled) <= largest_index) & (out.error < grid.bound);
  return out;
}

// The widest step that keeps the bound, less 2^-12: values at the very edge between two grid points would otherwise
// miss the bound by their own rounding and become exceptions of 64 bits or more each; the margin costs 0.0004 bits a
// value.
GPZ_HD double step_for_bound(double bound) {
  const double step = 2.0 * bound * (1.0 - 1.0 / 4096.0);
  return magnitude(step) <= 1.7976931348623157e308 ? step : bound;
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
