// SPDX-License-Identifier: BSD-3-Clause
// Bits of format::ExactValue (docs/format.md, section 8): those of a value in its own type.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpz/core/config.hpp"

namespace gpz::trajectory {

template <typename T>
std::uint64_t bits_of(T value) {
  if constexpr (std::is_same_v<T, float>) return core::bit_cast<std::uint32_t>(value);
  return core::bit_cast<std::uint64_t>(static_cast<double>(value));
}

template <typename T>
T from_bits(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, float>) return core::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return static_cast<T>(core::bit_cast<double>(bits));
}

}  // namespace gpz::trajectory
