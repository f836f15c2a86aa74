// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of sequence chunks: particles whose steps are small, several, or far, and their chunk.
#pragma once

#include <cmath>
#include <vector>

#include "cell_support.hpp"

namespace gpz::test {

// A walk with steps of a few kinds, as scan lines and rows of a lattice have them, and a jump now and then.
template <typename T>
Cloud<T> walk(std::size_t n, int components, double bound, std::uint64_t seed) {
  Cloud<T> cloud;
  cloud.components = components;
  cloud.bound = bound;
  Random random(seed);
  std::array<double, 3> position{random.uniform(-50, 50), random.uniform(-50, 50), 3};
  for (std::size_t i = 0; i < n; ++i) {
    cloud.add({position[0] + random.uniform(-0.05, 0.05), position[1], position[2] + random.uniform(-1, 1)});
    position[0] += random.below(2) == 0 ? 1 : -1;
    position[1] += random.below(10) == 0 ? 0.5 : 0;
    if (random.below(300) == 0)
      position = {random.uniform(-500, 500), random.uniform(-500, 500), random.uniform(-9, 9)};
  }
  return cloud;
}

template <typename T>
EncodedChunk sequence_chunk(const Cloud<T> &cloud, const std::vector<int> &rows = {}) {
  return chunk_of_kind(ChunkKind::sequence, cloud, rows);
}

}  // namespace gpz::test
