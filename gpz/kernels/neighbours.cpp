// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/kernels/neighbours.hpp"

namespace gpz::codec {

Neighbours fit_neighbours(const NeighbourSums &sums, std::uint64_t values) {
  return core::best_neighbours(
      [&](std::uint32_t levels, std::uint32_t level) { return core::fit_level(sums, levels, level); }, values);
}

void fill_table(const Neighbours &neighbours, NeighbourTable &table) {
  for (std::uint32_t j = 0; j < max_neighbour_lags; ++j) {
    std::uint32_t level = 0;
    for (std::int32_t &weight : table.weight[j]) {
      weight = j < neighbours.lags ? neighbours.weight[level][j] : 0;
      level = level + 1 == neighbours.levels ? 0 : level + 1;
    }
  }
}

void write_header(const Neighbours &neighbours, std::uint8_t *bytes) {
  *bytes++ = static_cast<std::uint8_t>(neighbours.levels);
  *bytes++ = static_cast<std::uint8_t>(neighbours.lags);
  for (std::uint32_t level = 0; level < neighbours.levels; ++level)
    for (std::uint32_t j = 0; j < neighbours.lags; ++j)
      *bytes++ = static_cast<std::uint8_t>(neighbours.weight[level][j]);
}

bool read_header(const std::uint8_t *bytes, std::size_t size, Neighbours &neighbours) {
  if (size < 2 || !core::are_neighbours(bytes[0], bytes[1])) return false;
  neighbours.levels = bytes[0];
  neighbours.lags = bytes[1];
  if (size < header_size(neighbours)) return false;
  bytes += 2;
  for (std::uint32_t level = 0; level < neighbours.levels; ++level)
    for (std::uint32_t j = 0; j < neighbours.lags; ++j)
      neighbours.weight[level][j] = static_cast<std::int8_t>(*bytes++);
  return true;
}

}  // namespace gpz::codec
