// SPDX-License-Identifier: BSD-3-Clause
// A cloud of particles too large for the host: made and checked on the device. Where a particle is follows from its
// number, so that nothing has to be kept to compare with.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gpz::test {

// Positions of particles 0 to n: xyz[3 i + d], and their ids. Neighbours in memory are near each other, as in a
// simulation.
cudaError_t make_cloud(float *xyz, std::int32_t *id, std::uint64_t n, cudaStream_t stream);

struct CloudReport {
  std::uint64_t outside;  // values that are not within the bound
  std::uint64_t unknown;  // ids that no particle has
  std::uint64_t twice;    // ids met before
};

// Looks at a cloud in any order. `seen` has a bit for each particle, all clear, in (n + 31) / 32 words; report is
// device memory, all zero.
cudaError_t check_cloud(const float *xyz, const std::int32_t *id, std::uint64_t n, double bound, std::uint32_t *seen,
                        CloudReport *report, cudaStream_t stream);

// make_cloud and check_cloud for one value a particle, in the order of the particles.
cudaError_t make_column(float *x, std::uint64_t n, cudaStream_t stream);
cudaError_t check_column(const float *x, std::uint64_t n, double bound, CloudReport *report, cudaStream_t stream);

}  // namespace gpz::test
