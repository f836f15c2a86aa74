// SPDX-License-Identifier: BSD-3-Clause
// Range of the values that a lane has quantised.
#pragma once

#include <cmath>
#include <cstdint>

#include "gpz/core/quantize.hpp"
#include "gpz/cuda/common/warp.cuh"

namespace gpz::cuda {

// Smallest and largest grid index of a component, and the largest error, of one lane.
template <typename T>
struct LaneRange;

__device__ __forceinline__ float max_or_nan(float a, float b) {
  float out;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(out) : "f"(a), "f"(b));
  return out;
}

// Quantising is monotone: floats are compared directly, and only the extremes are quantised and checked for range.
template <>
struct LaneRange<float> {
  float low = INFINITY;
  float high = -INFINITY;

  __device__ __forceinline__ void add(float x, const core::Quantized<float> &q, float &error) {
    low = fminf(low, x);
    high = fmaxf(high, x);
    error = max_or_nan(error, q.error);
  }
  __device__ bool finish(const core::Grid &grid, std::int32_t &smallest, std::int32_t &largest) const {
    const auto from = core::quantize(low, grid);
    const auto to = core::quantize(high, grid);
    smallest = warp_min(static_cast<std::int32_t>(from.index));
    largest = warp_max(static_cast<std::int32_t>(to.index));
    return core::magnitude(from.scaled) < 2147483647.0 && core::magnitude(to.scaled) < 2147483647.0;
  }
};

template <>
struct LaneRange<double> {
  std::int32_t low = INT32_MAX;
  std::int32_t high = INT32_MIN;
  std::uint32_t outside = 0;  // nonzero if an index has more than 32 bits, which includes NaN and infinity

  __device__ __forceinline__ void add(double, const core::Quantized<double> &q, double &error) {
    const auto index = static_cast<std::int32_t>(q.index);
    outside |= static_cast<std::uint32_t>(q.index >> 32) ^ static_cast<std::uint32_t>(index >> 31);
    low = min(low, index);
    high = max(high, index);
    error = q.error > error ? q.error : error;
  }
  __device__ bool finish(const core::Grid &, std::int32_t &smallest, std::int32_t &largest) const {
    smallest = warp_min(low);
    largest = warp_max(high);
    return outside == 0;
  }
};

}  // namespace gpz::cuda
