// SPDX-License-Identifier: BSD-3-Clause
// The rANS states of a block of steps.
#pragma once

#include <cstdint>

#include "gpz/core/steps.hpp"
#include "gpz/cuda/common/warp.cuh"

namespace gpz::cuda {

static_assert(core::step_lanes == warp_size);

// A state for each lane of a warp, or, in two rounds (core::step_rounds), for each lane of half a warp. Then both
// halves hold the same states, and use them in turn.
template <int rounds>
struct StepStates {
  static constexpr unsigned count = core::step_lanes / rounds;
  static constexpr unsigned words = 2 * count;

  std::uint32_t x;  // of this lane

  static __device__ __forceinline__ unsigned index() { return this_lane() % count; }
  static __device__ __forceinline__ bool is_in(int round) {
    if constexpr (rounds == 1)
      return true;
    else
      return this_lane() / count == static_cast<unsigned>(round);
  }
  // Called by all lanes after a round, whose lanes have changed their states.
  __device__ __forceinline__ void end_round(int round) {
    if constexpr (rounds > 1) x = __shfl_sync(full_mask, x, index() + static_cast<unsigned>(round) * count);
  }
};

// Number of lanes in `lanes` before this one.
__device__ __forceinline__ std::uint32_t rank_in(std::uint32_t lanes) {
  return __popc(lanes & ((1u << this_lane()) - 1));
}

}  // namespace gpz::cuda
