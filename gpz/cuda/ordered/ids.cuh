// SPDX-License-Identifier: BSD-3-Clause
// Finds the particles from which others in a block are predicted: their ids are smaller by a lag.
#pragma once

#include "gpz/core/ordered.hpp"
#include "gpz/cuda/common/warp.cuh"

namespace gpz::cuda {

// The ids of a block are kept in 32 bits if they differ by less than this.
inline constexpr std::uint64_t ids_end = 1u << 30;

// Use of the ids of a block. With `numbers`, numbers of particles in the block replace ids.
enum class Ids { numbers, gaps, wide };

// Stores ids with gaps in `out`, less the first one. Called by all lanes.
__device__ __forceinline__ Ids load_ids(const std::int64_t *ids, std::uint32_t n, std::uint32_t *out) {
  if (ids == nullptr) return Ids::numbers;
  const std::int64_t least = ids[0];
  const std::int64_t most = ids[n - 1];
  // Numbers in the block replace ids without gaps, which are equivalent, and ids that do not ascend.
  if (core::difference_of(most, least) == std::int64_t{n} - 1 || most <= least) return Ids::numbers;
  const std::uint64_t range = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
  bool wrong = false;
  for (std::uint32_t i = this_lane(); i < n; i += warp_size) {
    const std::int64_t id = ids[i];
    wrong |= i != 0 && id <= ids[i - 1];
    out[i] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(least));
  }
  if (__any_sync(full_mask, wrong) != 0) return Ids::numbers;
  __syncwarp();
  return range < ids_end ? Ids::gaps : Ids::wide;
}

// Particle whose id is smaller by `lag` than that of particle i; -1 if there is none.
__device__ __forceinline__ int parent_of(const std::uint32_t *ids, bool gaps, std::uint32_t lag, std::uint32_t i) {
  if (lag == 0) return -1;
  if (!gaps) return static_cast<int>(i) - static_cast<int>(lag) < 0 ? -1 : static_cast<int>(i - lag);
  if (ids[i] < lag) return -1;
  const std::uint32_t wanted = ids[i] - lag;
  std::uint32_t at = i < lag ? 0 : i - lag;
  for (std::uint32_t end = i; at < end;) {
    const std::uint32_t middle = (at + end) / 2;
    if (ids[middle] < wanted)
      at = middle + 1;
    else
      end = middle;
  }
  return at < i && ids[at] == wanted ? static_cast<int>(at) : -1;
}

}  // namespace gpz::cuda
