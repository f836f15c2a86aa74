// SPDX-License-Identifier: BSD-3-Clause
// Prediction of a particle's remainder (its residual after temporal prediction) from the remainders of the particles in
// the slots before it (docs/decisions/0013).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/core/neighbour_fit.hpp"
#include "gpz/core/types.hpp"

namespace gpz::cpu {

using core::max_neighbour_lags;
using core::max_neighbour_levels;
using core::Neighbours;
using core::NeighbourSums;

// The weights for each particle of a block that begins with any level from 0 to 15, so that loops need not count
// levels.
struct NeighbourTable {
  alignas(64) std::int32_t weight[max_neighbour_lags][core::default_block_size + max_neighbour_levels];
};

void fill_table(const Neighbours &neighbours, NeighbourTable &table);

// The best coefficients by least squares with 1, 2, 3, 4, 6 or 12 levels; `values` are those of the whole section.
Neighbours fit_neighbours(const NeighbourSums &sums, std::uint64_t values);

// The part of a section header: levels, lags, weights.
inline std::size_t header_size(const Neighbours &neighbours) {
  return core::neighbour_header_size(neighbours.levels, neighbours.lags);
}
void write_header(const Neighbours &neighbours, std::uint8_t *bytes);
// False: not in `size` bytes, or not a prediction.
bool read_header(const std::uint8_t *bytes, std::size_t size, Neighbours &neighbours);

}  // namespace gpz::cpu
