// SPDX-License-Identifier: BSD-3-Clause
// The history of a particle after a frame of steps.
#pragma once

#include "gpz/cuda/difference/steps.cuh"
#include "gpz/cuda/steps/params.hpp"

namespace gpz::cuda {

// Index q on axis d of particle i. With `rests`, the caller clears the motion of all particles.
template <bool rests>
__device__ __forceinline__ void follow_index(const DifferenceHistory &history, int d, std::uint64_t i, std::int32_t q) {
  if (!rests || history.crossings[d] != nullptr) {
    const std::int32_t last = history.last[d][i];
    const auto direct = static_cast<std::int32_t>(static_cast<std::uint32_t>(q) - static_cast<std::uint32_t>(last));
    const std::int32_t moved = device_displacement(direct, history.axis[d]);
    if (direct != moved && history.crossings[d] != nullptr)
      history.crossings[d][i] = static_cast<std::int8_t>(direct > moved ? -1 : 1);
    if constexpr (!rests) {
      history.deviation[d][i] = device_next_deviation(history.deviation[d][i], history.frames, moved);
      history.previous[d][i] = device_limit(moved);
    }
  }
  history.last[d][i] = q;
}

}  // namespace gpz::cuda
