// SPDX-License-Identifier: BSD-3-Clause
// Counts the tokens of all numbers, for each context. A thread block counts in shared memory.
#include <algorithm>

#include "gpz/core/ans.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/common/warp.cuh"
#include "gpz/cuda/numbers/kernels.hpp"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned threads = 512;
constexpr U32 pairs_at_once = 4;

// The first segment that may have items from `at` on.
__device__ U32 segment_at(const DeviceNumbers &numbers, U64 at) {
  U32 first = 0;
  U32 last = numbers.segments;
  while (last - first > 1) {
    const U32 middle = first + (last - first) / 2;
    if (numbers.begins[middle] <= at)
      first = middle;
    else
      last = middle;
  }
  return first;
}

// Calls count(item) for the items of [begin, end), 16 bytes for each lane at a time.
template <typename Count>
__device__ __forceinline__ void for_items(const U64 *items, U64 begin, U64 end, const Count &count) {
  const U32 lane = this_lane();
  if (reinterpret_cast<std::uintptr_t>(items + begin) % sizeof(ulonglong2) != 0) {
    if (lane == 0) count(items[begin]);
    ++begin;
  }
  const U64 pairs = (end - begin) / 2;
  const auto *const pair = reinterpret_cast<const ulonglong2 *>(items + begin);
  U64 p = lane;
  for (; p + (pairs_at_once - 1) * warp_size < pairs; p += pairs_at_once * warp_size) {
    ulonglong2 got[pairs_at_once];
#pragma unroll
    for (U32 k = 0; k < pairs_at_once; ++k) got[k] = pair[p + k * warp_size];
#pragma unroll
    for (U32 k = 0; k < pairs_at_once; ++k) {
      count(got[k].x);
      count(got[k].y);
    }
  }
  for (; p < pairs; p += warp_size) {
    const ulonglong2 got = pair[p];
    count(got.x);
    count(got.y);
  }
  if ((end - begin) % 2 != 0 && lane == 0) count(items[end - 1]);
}

// Counts `here` tokens from `first` on. A warp takes the items of a piece of memory.
__global__ void __launch_bounds__(threads, 3)
    count_tokens(const __grid_constant__ TokenCount params, U32 first, U32 here, U64 piece) {
  extern __shared__ U32 counts[];  // then the first token of each place
  auto *const first_token = reinterpret_cast<std::uint16_t *>(counts + here);
  for (U32 k = threadIdx.x; k < here; k += threads) counts[k] = 0;
  for (U32 k = threadIdx.x; k < params.places; k += threads) first_token[k] = params.first_token[k];
  __syncthreads();
  const DeviceNumbers &numbers = params.numbers;
  const auto count = [&](U64 item) {
    const U32 token = first_token[item >> 32] + core::token_of(static_cast<U32>(item)) - first;
    if (token < here) atomicAdd(&counts[token], 1u);
  };
  const U64 warps = U64{gridDim.x} * (threads / warp_size);
  for (U64 at = (U64{blockIdx.x} * (threads / warp_size) + threadIdx.x / warp_size) * piece; at < numbers.end;
       at += warps * piece) {
    const U64 end = at + piece;
    for (U32 s = segment_at(numbers, at); s < numbers.segments; ++s) {
      const U64 begin = numbers.begins[s];
      if (begin >= end) break;
      const U64 from = max(begin, at);
      const U64 to = min(begin + numbers.counts[s], end);
      if (from < to) for_items(numbers.items, from, to, count);
    }
  }
  __syncthreads();
  for (U32 k = threadIdx.x; k < here; k += threads)
    if (counts[k] != 0) atomicAdd(&params.counts[first + k], counts[k]);
}

const KernelFile kernels(reinterpret_cast<const void *>(count_tokens));

}  // namespace

void launch_count_tokens(const TokenCount &params, const DeviceLimits &limits, cudaStream_t stream) {
  if (params.numbers.segments == 0 || params.numbers.end == 0) return;
  const std::size_t places = params.places * sizeof(std::uint16_t);
  const auto most = static_cast<U32>((limits.shared_of_block - places) / sizeof(U32));
  for (U32 first = 0; first < params.tokens; first += most) {
    const U32 here = std::min(most, params.tokens - first);
    const std::size_t shared = here * sizeof(U32) + places;
    check(cudaFuncSetAttribute(count_tokens, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
          "shared memory");
    int of_processor = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_processor, count_tokens, threads, shared), "occupancy");
    constexpr U64 warps = threads / warp_size;
    const U64 most_blocks = static_cast<U64>(std::max(of_processor, 1)) * limits.processors;
    // Several pieces for each warp, as gaps make some of them shorter.
    const U64 piece = std::clamp<U64>(params.numbers.end / (most_blocks * warps * 4), 256, 8192);
    const U64 wanted = (params.numbers.end + piece * warps - 1) / (piece * warps);
    count_tokens<<<static_cast<unsigned>(std::min(wanted, most_blocks)), threads, shared, stream>>>(params, first, here,
                                                                                                    piece);
    check(cudaGetLastError(), "counts of numbers");
  }
}

}  // namespace gpz::cuda
