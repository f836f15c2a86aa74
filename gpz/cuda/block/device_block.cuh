// SPDX-License-Identifier: BSD-3-Clause
// Shared state and steps of a thread block that codes one block of particles.
#pragma once

#include <cstdint>

#include "gpz/core/block.hpp"
#include "gpz/core/keys.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/cuda/common/warp.cuh"

namespace gpz::cuda {

inline constexpr int threads = 128;  // four warps per block of 1,024 particles
inline constexpr int warps = threads / 32;
inline constexpr std::uint32_t block_size = core::default_block_size;
inline constexpr int items = block_size / threads;  // particles per thread

inline constexpr std::uint32_t max_segments = 2 * block_size;
inline constexpr int segments_per_thread = max_segments / threads;

// Reductions and scans over the threads of a block. `slots` is shared memory with one value per warp.
template <typename T, typename Op>
__device__ T reduce(T value, Op op, T *slots) {
  for (int offset = 16; offset > 0; offset /= 2) value = op(value, __shfl_xor_sync(full_mask, value, offset));
  if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = value;
  __syncthreads();
  T all = slots[0];
  for (int w = 1; w < warps; ++w) all = op(all, slots[w]);
  __syncthreads();
  return all;
}

template <typename T, typename Op>
__device__ T exclusive_scan(T value, T first, Op op, T *slots) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  T inclusive = value;
  for (int offset = 1; offset < 32; offset *= 2) {
    const T left = __shfl_up_sync(full_mask, inclusive, offset);
    if (lane >= offset) inclusive = op(left, inclusive);
  }
  if (lane == 31) slots[warp] = inclusive;
  __syncthreads();
  T before = first;
  for (int w = 0; w < warps; ++w)
    if (w < warp) before = op(before, slots[w]);
  T left = __shfl_up_sync(full_mask, inclusive, 1);
  if (lane == 0) left = first;
  __syncthreads();
  return op(before, left);
}

// Writes a run in the format of core::read_run, at bit `bit` of words in shared memory that must be zero there.
__device__ __forceinline__ void put_run(std::uint32_t *words, std::uint32_t bit, const core::Run &run, int gap_width,
                                        std::uint32_t width) {
  const std::uint32_t item = run.gap | (run.count - 1) << gap_width;
  atomicOr(&words[bit / 32], item << bit % 32);
  if (bit % 32 + width > 32) atomicOr(&words[bit / 32 + 1], item >> (32 - bit % 32));
}

struct Sum {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Min {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Max {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct Or {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a | b;
  }
};

}  // namespace gpz::cuda
