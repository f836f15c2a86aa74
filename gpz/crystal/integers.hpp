// SPDX-License-Identifier: BSD-3-Clause
// Integer arithmetic for predictions. Results are the same on every machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace gpz::crystal {

// The integer square root, rounded down, of x below 2^62; 0 if x is negative.
inline std::int64_t integer_root(std::int64_t x) {
  if (x <= 0) return 0;
  // Conversion and root are rounded; the comparisons correct the result.
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(x)));
  if (root * root > x) --root;
  if ((root + 1) * (root + 1) <= x) ++root;
  return root;
}

// Rounds x / 2^bits to the nearest integer, halves up. Sums wrap around.
template <typename Integer>
Integer rounded_shift(Integer x, int bits) {
  using Unsigned = std::make_unsigned_t<Integer>;
  return bits == 0 ? x : static_cast<Integer>(static_cast<Unsigned>(x) + (Unsigned{1} << (bits - 1))) >> bits;
}

inline std::int64_t limited(std::int64_t x, std::int64_t most) { return x > most ? most : x < -most ? -most : x; }

}  // namespace gpz::crystal
