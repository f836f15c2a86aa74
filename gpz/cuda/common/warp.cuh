// SPDX-License-Identifier: BSD-3-Clause
// Operations that the 32 lanes of a warp perform together.
#pragma once

#include <cstdint>

namespace gpz::cuda {

inline constexpr int warp_size = 32;
inline constexpr std::uint32_t full_mask = 0xFFFFFFFFu;

__device__ __forceinline__ std::uint32_t this_lane() { return threadIdx.x % warp_size; }

template <typename T>
__device__ __forceinline__ T warp_exclusive_sum(T value, T *total = nullptr) {
  const auto lane = this_lane();
  T inclusive = value;
#pragma unroll
  for (int offset = 1; offset < warp_size; offset *= 2) {
    const T left = __shfl_up_sync(full_mask, inclusive, offset);
    if (lane >= static_cast<unsigned>(offset)) inclusive += left;
  }
  if (total != nullptr) *total = __shfl_sync(full_mask, inclusive, warp_size - 1);
  return inclusive - value;
}

template <typename T>
__device__ __forceinline__ T warp_exclusive_max(T value) {
  const auto lane = this_lane();
  T inclusive = value;
#pragma unroll
  for (int offset = 1; offset < warp_size; offset *= 2) {
    const T left = __shfl_up_sync(full_mask, inclusive, offset);
    if (lane >= static_cast<unsigned>(offset)) inclusive = left > inclusive ? left : inclusive;
  }
  const T before = __shfl_up_sync(full_mask, inclusive, 1);
  return lane == 0 ? T{0} : before;
}

__device__ __forceinline__ std::int32_t warp_min(std::int32_t value) { return __reduce_min_sync(full_mask, value); }
__device__ __forceinline__ std::int32_t warp_max(std::int32_t value) { return __reduce_max_sync(full_mask, value); }
__device__ __forceinline__ std::uint32_t warp_min(std::uint32_t value) { return __reduce_min_sync(full_mask, value); }
__device__ __forceinline__ std::uint32_t warp_max(std::uint32_t value) { return __reduce_max_sync(full_mask, value); }
__device__ __forceinline__ std::uint32_t warp_sum(std::uint32_t value) { return __reduce_add_sync(full_mask, value); }
__device__ __forceinline__ std::uint32_t warp_or(std::uint32_t value) { return __reduce_or_sync(full_mask, value); }

__device__ __forceinline__ std::uint64_t warp_max(std::uint64_t value) {
  const std::uint32_t high = warp_max(static_cast<std::uint32_t>(value >> 32));
  const std::uint32_t low = static_cast<std::uint32_t>(value >> 32) == high ? static_cast<std::uint32_t>(value) : 0;
  return static_cast<std::uint64_t>(high) << 32 | warp_max(low);
}

}  // namespace gpz::cuda
