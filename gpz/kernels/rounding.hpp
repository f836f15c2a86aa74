// SPDX-License-Identifier: BSD-3-Clause
// Rounding of integers in predictions.
#pragma once

#include <type_traits>

#include "gpz/core/config.hpp"

namespace gpz::core {
inline namespace GPZ_ISA {

// Rounds x / 2^bits to the nearest integer, halves up. Sums wrap around.
template <typename Integer>
GPZ_HD Integer rounded_shift(Integer x, int bits) {
  using Unsigned = std::make_unsigned_t<Integer>;
  return bits == 0 ? x : static_cast<Integer>(static_cast<Unsigned>(x) + (Unsigned{1} << (bits - 1))) >> bits;
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
