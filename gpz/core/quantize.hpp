// SPDX-License-Identifier: BSD-3-Clause
// Stage 1 of the paper (section 4.1): values become grid indices, and every value's error is checked against the bound.
#pragma once

#include <cmath>

#include "gpz/core/config.hpp"
#include "gpz/core/types.hpp"

namespace gpz::core {
inline namespace GPZ_ISA {

// Adding 1.5 * 2^52 rounds a double of at most 2^51 in magnitude to the nearest integer (ties to even) and leaves it in
// the low bits. One addition rounds and converts, identically on every processor.
inline constexpr double rounding_magic = 6755399441055744.0;
inline constexpr double largest_index = static_cast<double>(max_index);

template <typename T>
GPZ_HD T magnitude(T x) {
  return std::fabs(x);
}

// The value of grid index `index` (docs/format.md, section 7). T is float or double.
template <typename T>
GPZ_HD T grid_value(double index, double step) {
  return static_cast<T>(index * step);
}

// index_from(index_base(min), delta) is min + delta as a double, without a conversion instruction. Exact while min,
// delta and their sum are below 2^52 in magnitude, which keys_in_range() checks.
inline constexpr double two_52 = 4503599627370496.0;
GPZ_HD double index_base(std::int64_t min) { return two_52 - static_cast<double>(min); }
GPZ_HD double index_from(double base, std::uint64_t delta) {
  return bit_cast<double>(std::uint64_t{0x4330000000000000} | delta) - base;
}

template <typename T>
struct Quantized {
  double scaled;       // x in units of the step
  double rounded;      // the index as a double
  std::int64_t index;  // `rounded` as an integer; meaningless unless valid
  T error;             // |x - grid value|
  bool valid;          // the grid value is within the bound of x
};

GPZ_HD bool same_bits(float a, float b) { return bit_cast<std::uint32_t>(a) == bit_cast<std::uint32_t>(b); }
GPZ_HD bool same_bits(double a, double b) { return bit_cast<std::uint64_t>(a) == bit_cast<std::uint64_t>(b); }

// `OnlyItsValues` must equal grid.only_its_values. It is a template parameter so that loops test it once. The error is
// exact: x and its grid value are within a factor of two of each other, or the grid value is 0. Comparisons with NaN
// are false, so NaN and infinities are invalid.
template <bool OnlyItsValues = false, typename T>
GPZ_HD Quantized<T> quantize(T x, const Grid &grid) {
  Quantized<T> out;
  out.scaled = static_cast<double>(x) * grid.inverse_step;
  const double shifted = out.scaled + rounding_magic;
  out.rounded = shifted - rounding_magic;
  out.index = static_cast<std::int64_t>(bit_cast<std::uint64_t>(shifted) - bit_cast<std::uint64_t>(rounding_magic));
  const T value = grid_value<T>(out.rounded, grid.step);
  out.error = magnitude(x - value);
  out.valid = (magnitude(out.scaled) <= largest_index) & (static_cast<double>(out.error) < grid.bound);
  if constexpr (OnlyItsValues) out.valid &= same_bits(x, value);
  return out;
}

// True if the grid represents x. Other values are stored exactly.
template <typename T>
GPZ_HD bool holds(T x, const Grid &grid) {
  const Quantized<T> q = quantize(x, grid);
  return q.valid & (!grid.only_its_values | same_bits(x, grid_value<T>(q.rounded, grid.step)));
}

// Widest step that keeps the bound, reduced by a relative 2^-12. Without the margin, values midway between grid points
// would miss the bound by rounding and become exceptions of at least 64 bits. The margin costs 0.0004 bits a value.
// Floats with few spare digits need a larger margin: if neighbouring floats are u apart, errors are multiples of u, and
// half a step rounded to such a multiple must stay below the bound. The loop ensures this for u up to bound / 128, that
// is, for values below 2^16 bounds (except next to a power of two). It costs at most 0.006 bits a value, and nothing
// for most bounds. Larger values cost up to 0.2 bits a value: `coarse` says which of them are frequent (bit k as in
// the loop, coarse_bit).
inline constexpr int finest_coarse = 7;    // u up to bound / 64
inline constexpr int coarsest_coarse = 3;  // beyond, a step that keeps the bound would be much smaller
inline double step_for_bound(double bound, Value value, unsigned coarse = 0) {
  double half = bound * (1.0 - 1.0 / 4096.0);
  if (value == Value::float32) {
    int exponent = 0;
    std::frexp(bound, &exponent);
    for (int k = coarsest_coarse; k <= 12; ++k) {
      if (k <= finest_coarse && (coarse >> k & 1) == 0) continue;
      const double u = std::ldexp(1.0, exponent - k);
      const double most = (std::ceil(bound / u) - 0.5) * u * (1.0 - 1.0 / 1048576.0);
      if (most < half) half = most;
    }
  }
  const double step = 2.0 * half;
  return step > 0 && step <= 1.7976931348623157e308 ? step : bound;
}

// The bit of `coarse` for values as large as x, if it is not below coarsest_coarse or above finest_coarse.
template <typename T>
int coarse_level(double bound, T x) {
  int of_bound = 0;
  int of_value = 0;
  std::frexp(bound, &of_bound);
  std::frexp(x, &of_value);
  return of_bound + 24 - of_value;  // floats have 24 digits
}

// That bit; 0 if step_for_bound keeps the bound for these values anyway, or cannot.
inline unsigned coarse_bit(double bound, float x) {
  if (!(magnitude(x) < 3.0e38F) || x == 0) return 0;
  const int k = coarse_level(bound, x);
  return k >= coarsest_coarse && k <= finest_coarse ? 1u << k : 0;
}

// The bits of all values up to `largest`.
inline unsigned coarse_bits(double bound, double largest) {
  unsigned bits = 0;
  for (int k = coarsest_coarse; k <= finest_coarse && largest != 0; ++k)
    if (k >= coarse_level(bound, largest)) bits |= 1u << k;
  return bits;
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
