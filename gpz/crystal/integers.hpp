// SPDX-License-Identifier: BSD-3-Clause
// Integer arithmetic for predictions. Results are the same on every machine.
#pragma once

#include <cmath>
#include <cstdint>

#include "gpz/kernels/rounding.hpp"

namespace gpz::crystal {

using core::rounded_shift;

// The integer square root, rounded down, of x below 2^62; 0 if x is negative.
inline std::int64_t integer_root(std::int64_t x) {
  if (x <= 0) return 0;
  // Conversion and root are rounded; the comparisons correct the result.
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(x)));
  if (root * root > x) --root;
  if ((root + 1) * (root + 1) <= x) ++root;
  return root;
}

inline std::int64_t limited(std::int64_t x, std::int64_t most) { return x > most ? most : x < -most ? -most : x; }

}  // namespace gpz::crystal
