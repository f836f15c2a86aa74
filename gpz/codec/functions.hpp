// SPDX-License-Identifier: BSD-3-Clause
// Functions with bit-identical results on every machine, for encoders. C libraries differ in the last bit.
#pragma once

#include <cmath>

namespace gpz::codec {

// x to the power of 1 / degree, for x > 0 and degree > 0.
inline double root_of(double x, int degree) {
  if (degree == 1) return x;
  if (degree == 2) return std::sqrt(x);
  int exponent = 0;
  std::frexp(x, &exponent);
  const int above = exponent > 0 ? (exponent + degree - 1) / degree : exponent / degree;
  // Newton steps decrease from above until rounding stops them.
  double y = std::ldexp(1, above);
  while (true) {
    double power = 1;
    for (int k = 1; k < degree; ++k) power *= y;
    const double next = ((degree - 1) * y + x / power) / degree;
    if (!(next < y)) return y;
    y = next;
  }
}

// Logarithm to base 2 of x > 0.
inline double log2_of(double x) {
  constexpr double of_e = 1.4426950408889634;
  int exponent = 0;
  double part = std::frexp(x, &exponent);
  if (part < 0.7071067811865476) {
    part *= 2;
    --exponent;
  }
  // log((1 + s) / (1 - s)) = 2 (s + s^3 / 3 + s^5 / 5 + ...), with s below 0.172.
  const double s = (part - 1) / (part + 1);
  double sum = 0;
  for (int k = 21; k > 0; k -= 2) sum = sum * s * s + 1.0 / k;
  return exponent + 2 * of_e * s * sum;
}

}  // namespace gpz::codec
