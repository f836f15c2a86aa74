// SPDX-License-Identifier: BSD-3-Clause
// Stage 1 of the paper for a full block: grid indices of its values, in the registers of its warp. Particle i is in row
// i / 32 of lane i % 32.
#pragma once

#include <cmath>
#include <cstdint>

#include "gpz/core/keys.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/cuda/block/device_block.cuh"
#include "gpz/cuda/block/encode_params.hpp"
#include "gpz/cuda/block/lane_range.cuh"
#include "gpz/cuda/block/quick_index.hpp"
#include "gpz/cuda/common/warp.cuh"

namespace gpz::cuda {

inline constexpr int rows = block_size / warp_size;

// Below this threshold, too many values are uncertain for float arithmetic to save time.
inline constexpr float least_certain = 0.5F - 0x1p-9F;

// Low words of grid indices less the smallest index, and the largest of these differences.
struct Indices {
  std::uint32_t delta[core::max_components][rows];
  std::uint32_t extent[core::max_components];
  std::uint32_t reach;  // largest magnitude of an index, for floats
};

// All lanes pass the smallest and the largest index of component d.
__device__ __forceinline__ void set_range(Indices &indices, int d, std::int32_t low, std::int32_t high,
                                          StagedBlock &staged) {
  indices.extent[d] = static_cast<std::uint32_t>(high) - static_cast<std::uint32_t>(low);
  const auto below = static_cast<std::int32_t>(0u - static_cast<std::uint32_t>(low));
  indices.reach = max(indices.reach, static_cast<std::uint32_t>(max(max(below, high), 0)));
  if (threadIdx.x == 0) staged.record.min[d] = core::key_of(static_cast<std::int64_t>(low));
}

// For any values. Returns false if an index has more than 32 bits.
template <typename T, int Components, typename Load>
__device__ __forceinline__ bool find_indices(const core::Grid &grid, const Load &load, Indices &out, T &error,
                                             StagedBlock &staged) {
  bool good = true;
  out.reach = 0;
#pragma unroll
  for (int d = 0; d < Components; ++d) {
    LaneRange<T> range;
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      const T x = load(d, row);
      const core::Quantized<T> q = core::quantize(x, grid);
      range.add(x, q, error);
      out.delta[d][row] = static_cast<std::uint32_t>(q.index);
    }
    std::int32_t low;
    std::int32_t high;
    good &= range.finish(grid, low, high);
#pragma unroll
    for (int row = 0; row < rows; ++row) out.delta[d][row] -= static_cast<std::uint32_t>(low);
    set_range(out, d, low, high, staged);
  }
  return good;
}

// For floats of common blocks, in float arithmetic (cuda/block/quick_index.hpp). A few values are so close to an edge
// of their cell that their error may exceed `known_error`, the error of another value of the field. Those are quantised
// by quantize(), and `error` is the largest error among them. `reach` is a guess. Returns false if it is too small, or
// if quantize() gives another index at an end of a range.
template <int Components, typename Load>
__device__ __forceinline__ bool find_quick_indices(const core::Grid &grid, const Load &load, double known_error,
                                                   std::uint32_t reach, Indices &out, float &error,
                                                   StagedBlock &staged) {
  const core::QuickGrid quick(grid);
  const float certain = quick.certain(known_error, reach);
  if (certain < least_certain) return false;
  std::int32_t low[Components];
  std::int32_t high[Components];
#pragma unroll
  for (int d = 0; d < Components; ++d) {
    low[d] = INT32_MAX;
    high[d] = INT32_MIN;
  }
  out.reach = 0;
  std::uint32_t uncertain = 0;  // one bit per row
#pragma unroll
  for (int row = 0; row < rows; row += 2) {
    float fraction[2];
#pragma unroll
    for (int d = 0; d < Components; ++d) {
      std::int32_t bits[2];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const core::QuickIndex index = quick(load(d, row + k));
        bits[k] = __float_as_int(index.shifted);
        out.delta[d][row + k] = static_cast<std::uint32_t>(bits[k]);
        fraction[k] = d == 0 ? fabsf(index.fraction) : fmaxf(fraction[k], fabsf(index.fraction));
      }
      low[d] = __vimin3_s32(low[d], bits[0], bits[1]);
      high[d] = __vimax3_s32(high[d], bits[0], bits[1]);
    }
    if (fraction[0] > certain) uncertain |= 1u << row;
    if (fraction[1] > certain) uncertain |= 2u << row;
  }
  bool good = true;
#pragma unroll
  for (int d = 0; d < Components; ++d) {
    low[d] = warp_min(low[d]);
    high[d] = warp_max(high[d]);
    good &= core::quick_in_range(low[d], high[d]);
#pragma unroll
    for (int row = 0; row < rows; ++row) out.delta[d][row] -= static_cast<std::uint32_t>(low[d]);
    set_range(out, d, core::quick_index(low[d]), core::quick_index(high[d]), staged);
  }
  good &= out.reach <= reach;
#pragma unroll 1
  while (__any_sync(full_mask, good && uncertain != 0)) {
    const int row = __ffs(static_cast<int>(uncertain)) - 1;  // -1: no row is left for this lane
    uncertain &= uncertain - 1;
    std::int32_t off[Components];
    bool wrong = false;
#pragma unroll
    for (int d = 0; d < Components; ++d) {
      const float x = load(d, max(row, 0));
      const core::Quantized<float> q = core::quantize(x, grid);
      const std::int32_t bits = __float_as_int(quick(x).shifted);
      off[d] = static_cast<std::int32_t>(q.index) - core::quick_index(bits);
      wrong |= off[d] != 0;
      good &= off[d] == 0 || (bits > low[d] && bits < high[d]);
      error = fmaxf(error, q.error);
    }
    if (!__any_sync(full_mask, wrong && row >= 0)) continue;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (row != r) continue;
#pragma unroll
      for (int d = 0; d < Components; ++d) out.delta[d][r] += static_cast<std::uint32_t>(off[d]);
    }
  }
  return __all_sync(full_mask, good);
}

}  // namespace gpz::cuda
