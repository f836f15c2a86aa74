// SPDX-License-Identifier: BSD-3-Clause
// Sums and products of numbers from files, which may be any: those beyond 64 bits are the largest number of 64 bits.
#pragma once

#include <cstdint>
#include <limits>

namespace gpz::tool {

inline std::uint64_t capped_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

inline std::uint64_t capped_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

}  // namespace gpz::tool
