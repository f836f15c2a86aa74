// SPDX-License-Identifier: BSD-3-Clause
// Prediction of a particle's remainder (its residual after temporal prediction) from the remainders of the particles in
// the slots before it (docs/decisions/0013).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"

namespace gpz::cpu {

inline constexpr std::uint32_t max_neighbour_levels = 16;
inline constexpr std::uint32_t max_neighbour_lags = 4;

// Coefficients in units of 1/64: slot s has those of level s mod `levels`, weight[level][j] of slot s - 1 - j.
struct Neighbours {
  std::uint32_t levels = 0;  // 0: no such prediction
  std::uint32_t lags = 0;
  std::int8_t weight[max_neighbour_levels][max_neighbour_lags] = {};
};

// The weights for each particle of a block that begins with any level from 0 to 15, so that loops need not count
// levels.
struct NeighbourTable {
  alignas(64) std::int32_t weight[max_neighbour_lags][core::default_block_size + max_neighbour_levels];
};

void fill_table(const Neighbours &neighbours, NeighbourTable &table);

// Sums over a sample of the products of the remainders of slots s and s - j, j = 0 to 4, by s mod 12.
struct NeighbourSums {
  static constexpr std::uint32_t period = 12;
  std::int64_t product[max_neighbour_lags + 1][period] = {};
};

// The best coefficients by least squares with 1, 2, 3, 4, 6 or 12 levels; `values` are those of the whole section.
Neighbours fit_neighbours(const NeighbourSums &sums, std::uint64_t values);

// The part of a section header: levels, lags, weights.
std::size_t header_size(const Neighbours &neighbours);
void write_header(const Neighbours &neighbours, std::uint8_t *bytes);
// False: not in `size` bytes, or not a prediction.
bool read_header(const std::uint8_t *bytes, std::size_t size, Neighbours &neighbours);

}  // namespace gpz::cpu
