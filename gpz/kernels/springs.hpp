// SPDX-License-Identifier: BSD-3-Clause
// Sums over the neighbours of a particle in a crystal (docs/format.md, section 10c).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gpz/core/config.hpp"
#include "gpz/core/types.hpp"

namespace gpz::core {

// A field: a vector of 16-bit integers for each particle, within +-field_limit. The fourth component is 0.
inline constexpr std::size_t field_stride = 4;
inline constexpr std::int32_t field_limit = 32767;
inline constexpr int spring_bits = 12;  // the unit of springs is 2^-spring_bits
inline constexpr std::size_t max_spring_neighbours = 48;

inline namespace GPZ_ISA {

// Sums of weight times field, one for each row. Magnitudes of the weights of a row, `field_stride` for each neighbour,
// add up to at most 32,768.
inline std::array<std::int32_t, max_components> weighted_sums(
    const std::array<const std::int16_t *, max_components> &rows, const std::uint32_t *near, std::size_t neighbours,
    const std::int16_t *field) {
  std::int16_t around[max_spring_neighbours * field_stride];
  for (std::size_t k = 0; k < neighbours; ++k)
    memcpy(&around[k * field_stride], field + near[k] * field_stride, field_stride * sizeof(std::int16_t));
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t z = 0;
  for (std::size_t k = 0; k < neighbours * field_stride; ++k) {
    x += rows[0][k] * around[k];
    y += rows[1][k] * around[k];
    z += rows[2][k] * around[k];
  }
  return {x, y, z};
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
