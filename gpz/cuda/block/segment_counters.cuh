// SPDX-License-Identifier: BSD-3-Clause
// Counters of the segments of a full block: one warp counts, adds up and reads.
#pragma once

#include <cstdint>

#include "gpz/cuda/block/kernels.cuh"
#include "gpz/cuda/common/warp.cuh"

namespace gpz::cuda {

// Counters count bytes of the arrays that are sorted by them, so that sums of counters are addresses.
inline constexpr std::uint32_t counted = sizeof(std::uint32_t);

__device__ __forceinline__ std::uint32_t *at_byte(std::uint32_t *array, std::uint32_t byte) {
  return reinterpret_cast<std::uint32_t *>(reinterpret_cast<unsigned char *>(array) + byte);
}

// Counters are read in groups of four. Each lane has an odd number of groups (4, 12, 20, ... counters), so that lanes
// that are served together access different banks.
inline constexpr std::uint32_t max_counters = 4 * ((max_segments / (4 * warp_size)) | 1) * warp_size;
static_assert(max_counters >= max_segments);

// Counters of consecutive segments that a lane handles.
struct SegmentShare {
  std::uint32_t per;    // number of counters: 4, 12, 20, ...
  std::uint32_t first;  // first segment

  __device__ explicit SegmentShare(std::uint32_t segments)
      : per(((segments + 4 * warp_size - 1) / (4 * warp_size) | 1) * 4), first(threadIdx.x * per) {}

  template <typename Visit>
  __device__ __forceinline__ void for_each(const std::uint32_t *counts, const Visit &visit) const {
    const auto *fours = reinterpret_cast<const uint4 *>(counts + first);
    for (std::uint32_t j = 0; j < per / 4; ++j) {
      const uint4 four = fours[j];
      visit(first + 4 * j, four.x / counted);
      visit(first + 4 * j + 1, four.y / counted);
      visit(first + 4 * j + 2, four.z / counted);
      visit(first + 4 * j + 3, four.w / counted);
    }
  }
};

// Sums over the segments of a lane: particles, times `counted`, and runs.
struct Totals {
  std::uint32_t particles;
  std::uint32_t runs;
};

__device__ __forceinline__ Totals totals_of(const std::uint32_t *counts, const SegmentShare &share) {
  const auto *fours = reinterpret_cast<const uint4 *>(counts + share.first);
  Totals totals{0, 0};
#pragma unroll 4
  for (std::uint32_t j = 0; j < share.per / 4; ++j) {
    const uint4 count = fours[j];
    totals.particles += count.x + count.y + count.z + count.w;
    totals.runs += min(count.x, 1u) + min(count.y, 1u) + min(count.z, 1u) + min(count.w, 1u);
  }
  return totals;
}

// Turns counts into starts. `at` is the start of the lane's first segment.
__device__ __forceinline__ void sum_up(std::uint32_t *counts, const SegmentShare &share, std::uint32_t at) {
  auto *fours = reinterpret_cast<uint4 *>(counts + share.first);
#pragma unroll 4
  for (std::uint32_t j = 0; j < share.per / 4; ++j) {
    const uint4 count = fours[j];
    const std::uint32_t y = at + count.x;
    const std::uint32_t z = y + count.y;
    const std::uint32_t w = z + count.z;
    fours[j] = make_uint4(at, y, z, w);
    at = w + count.w;
  }
}

}  // namespace gpz::cuda
