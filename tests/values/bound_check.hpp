// SPDX-License-Identifier: BSD-3-Clause
// Whether decoded values are within an error bound, decided without rounding. Shares nothing with the codec, and knows
// nothing of it. bound_check_test.cpp compares it with integers of thousands of bits.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#if defined(__CUDACC__)
#define GPZ_VALUES_HD __host__ __device__ inline
#else
#define GPZ_VALUES_HD inline
#endif

namespace gpz::values {

// What x - y, rounded to s, lost: x - y - s exactly (Knuth's TwoSum). Exact for all finite x, y and s, subnormal ones
// too. Compiled without contraction and reassociation (gpz_target).
GPZ_VALUES_HD double lost_by_difference(double x, double y, double s) {
  const double minus_y = s - x;
  const double x_again = s - minus_y;
  return (x - x_again) + (-y - minus_y);
}

// Whether |x - y| <= bound, exactly, for bound >= 0. With s = x - y rounded:
// - |s| < bound: then |x - y| < bound, since rounding is monotone and bound is a double: from |x - y| >= bound would
//   follow |s| >= bound.
// - |s| > bound: then |x - y| > bound, for the same reason.
// - |s| = bound: what s lost decides.
// False if x or y is NaN or infinite, or if their difference is beyond the doubles.
GPZ_VALUES_HD bool is_within(double x, double y, double bound) {
  const double s = x - y;
  const double size = s < 0 ? -s : s;
  if (size != bound) return size < bound;
  const double lost = lost_by_difference(x, y, s);
  return s < 0 ? lost >= 0 : lost <= 0;
}

// |x - y| rounded, for x and y of type float or double. 0 if they are the same bits.
GPZ_VALUES_HD double error_of(double x, double y) { return x == y ? 0 : x < y ? y - x : x - y; }

// What is known of values after a comparison; sums of all that were compared.
struct Tally {
  std::uint64_t values = 0;  // floats and doubles
  std::uint64_t integers = 0;
  std::uint64_t misses = 0;  // finite and not within the bound, or neither finite nor the same bits
  std::uint64_t exact = 0;   // floats and doubles that are the same bits
  double largest_error = 0;  // of those that were within the bound
  std::string first_miss;    // in words; empty if there is none

  Tally &operator+=(const Tally &other);
};

// Compares n values of type float, double or std::int64_t with what was decoded of them. Integers, values that are not
// finite, and all values if `bound` is 0 have to be the same bits. `what` begins the words of a miss.
template <typename T>
Tally compare(const T *given, const T *decoded, std::size_t n, double bound, const std::string &what);

}  // namespace gpz::values
