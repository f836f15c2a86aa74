// SPDX-License-Identifier: BSD-3-Clause
// Values where an encoder is most likely to miss an error bound: a few units in the last place from the edges between
// the cells of its grid. For host and GPU; value i of a seed is the same on both.
#pragma once

#include <cstdint>
#include <cstring>

#include "bound_check.hpp"

namespace gpz::values {

// SplitMix64: a random number for each counter.
GPZ_VALUES_HD std::uint64_t hashed(std::uint64_t counter) {
  std::uint64_t z = (counter + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// The value that is `places` places further in the order of the values of T; beyond the largest come an infinity and
// NaNs.
GPZ_VALUES_HD float moved(float value, int places) {
  std::uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const std::uint32_t sign = bits & 0x80000000u;
  std::int32_t order = static_cast<std::int32_t>(bits - sign);  // magnitude
  order += sign != 0 ? -places : places;
  bits =
      order < 0 ? static_cast<std::uint32_t>(-order) | (sign ^ 0x80000000u) : static_cast<std::uint32_t>(order) | sign;
  memcpy(&value, &bits, sizeof value);
  return value;
}
GPZ_VALUES_HD double moved(double value, int places) {
  std::uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  const std::uint64_t sign = bits & 0x8000000000000000u;
  std::int64_t order = static_cast<std::int64_t>(bits - sign);
  order += sign != 0 ? -places : places;
  bits = order < 0 ? static_cast<std::uint64_t>(-order) | (sign ^ 0x8000000000000000u)
                   : static_cast<std::uint64_t>(order) | sign;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Value i of `seed` for a grid of this step: near the edge of a cell whose index has up to `bits` bits (0 to 53), every
// eighth near its middle. Three of four are within 4 units in the last place, the others within 64.
template <typename T>
GPZ_VALUES_HD T edge_value(std::uint64_t seed, std::uint64_t i, double step, int bits) {
  const std::uint64_t random = hashed(hashed(seed) + i);
  const std::uint64_t more = hashed(random);
  const int length = static_cast<int>(random % static_cast<unsigned>(bits + 1));
  const auto index = static_cast<double>(more & ((std::uint64_t{1} << length) - 1));
  const double place = (random >> 8) % 8 == 0 ? index : index + 0.5;
  const int reach = (random >> 16) % 4 == 0 ? 64 : 4;
  const int places = static_cast<int>((random >> 20) % static_cast<unsigned>(2 * reach + 1)) - reach;
  const double value = place * step;
  return moved(static_cast<T>((random >> 63) != 0 ? -value : value), places);
}

}  // namespace gpz::values
