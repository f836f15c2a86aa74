// SPDX-License-Identifier: BSD-3-Clause
// Keys map every value to an unsigned 64-bit number of the same order (docs/format.md, section 5).
#pragma once

#include "gpz/core/config.hpp"

namespace gpz::core {
inline namespace GPZ_ISA {

inline constexpr std::uint64_t key_bias = std::uint64_t{1} << 63;

GPZ_HD std::uint64_t key_of(std::int64_t value) { return static_cast<std::uint64_t>(value) ^ key_bias; }

// Negative numbers have all bits inverted, others have the sign bit set. NaN payloads and -0 survive.
GPZ_HD std::uint64_t key_of(double value) {
  const auto bits = bit_cast<std::uint64_t>(value);
  return (bits & key_bias) != 0 ? ~bits : bits | key_bias;
}

GPZ_HD std::uint64_t key_of(float value) {
  const auto bits = bit_cast<std::uint32_t>(value);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

template <typename T>
T value_of(std::uint64_t key);

template <>
GPZ_HD std::int64_t value_of<std::int64_t>(std::uint64_t key) {
  return static_cast<std::int64_t>(key ^ key_bias);
}

template <>
GPZ_HD double value_of<double>(std::uint64_t key) {
  return bit_cast<double>((key & key_bias) != 0 ? key ^ key_bias : ~key);
}

template <>
GPZ_HD float value_of<float>(std::uint64_t key) {
  const auto low = static_cast<std::uint32_t>(key);
  return bit_cast<float>((low & 0x80000000u) != 0 ? low ^ 0x80000000u : ~low);
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
