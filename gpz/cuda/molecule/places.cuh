// SPDX-License-Identifier: BSD-3-Clause
// Places of particles, for kernels with a thread for each particle.
#pragma once

#include <cstdint>

#include "gpz/molecule/cell.hpp"

namespace gpz::cuda {

struct Indices {
  const std::int32_t *of[core::max_components];
};
inline Indices indices_of(const std::int32_t *const *index) { return {{index[0], index[1], index[2]}}; }

__device__ __forceinline__ molecule::Way place_of(const Indices &index, std::uint64_t i) {
  return {index.of[0][i], index.of[1][i], index.of[2][i]};
}

// The particle of this thread.
__device__ __forceinline__ std::uint64_t this_particle() {
  return static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

}  // namespace gpz::cuda
