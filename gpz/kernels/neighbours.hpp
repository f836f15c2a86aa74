// SPDX-License-Identifier: BSD-3-Clause
// Prediction of a particle's remainder (its residual after temporal prediction) from the remainders in the preceding
// slots (docs/decisions/0013).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/core/types.hpp"
#include "gpz/kernels/neighbour_fit.hpp"

namespace gpz::codec {

using core::max_neighbour_lags;
using core::max_neighbour_levels;
using core::Neighbours;
using core::NeighbourSums;

// Weights for each particle of a block. The margin of max_neighbour_levels lets a block begin at any level, so that
// loops need not count levels.
struct NeighbourTable {
  alignas(64) std::int32_t weight[max_neighbour_lags][core::default_block_size + max_neighbour_levels];
};

void fill_table(const Neighbours &neighbours, NeighbourTable &table);

// Best least-squares weights with 1, 2, 3, 4, 6 or 12 levels. `values` counts the values of the whole section.
Neighbours fit_neighbours(const NeighbourSums &sums, std::uint64_t values);

// Bytes in the section header: levels, lags, weights.
inline std::size_t header_size(const Neighbours &neighbours) {
  return core::neighbour_header_size(neighbours.levels, neighbours.lags);
}
void write_header(const Neighbours &neighbours, std::uint8_t *bytes);
// Returns false if `size` is too small or the dimensions are invalid.
bool read_header(const std::uint8_t *bytes, std::size_t size, Neighbours &neighbours);

}  // namespace gpz::codec
