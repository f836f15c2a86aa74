// SPDX-License-Identifier: BSD-3-Clause
// Blocks of slots whose rows are consecutive ones.
#include <algorithm>

#include "gpz/core/block.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/difference/steps.cuh"

namespace gpz::cuda {
namespace {

constexpr std::uint32_t window_threads = 256;
constexpr std::uint16_t no_slot = UINT16_MAX;

// A thread block for each block of slots. A row may be there twice, of which a window has one only.
__global__ void __launch_bounds__(window_threads)
    find_window(const std::uint32_t *rows, std::uint64_t n, std::uint32_t *first, std::uint16_t *slot) {
  __shared__ std::uint16_t slot_of[difference_block];
  __shared__ std::uint32_t lowest;
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * difference_block;
  const auto count = static_cast<std::uint32_t>(min(n - begin, std::uint64_t{difference_block}));
  if (threadIdx.x == 0) lowest = UINT32_MAX;
  __syncthreads();
  std::uint32_t low = UINT32_MAX;
  for (std::uint32_t i = threadIdx.x; i < count; i += window_threads) {
    low = min(low, rows[begin + i]);
    slot_of[i] = no_slot;
  }
  low = warp_min(low);
  if (this_lane() == 0) atomicMin(&lowest, low);
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < count; i += window_threads) {
    const std::uint32_t at = rows[begin + i] - lowest;
    if (at < count) slot_of[at] = static_cast<std::uint16_t>(i);
  }
  __syncthreads();
  bool has_all = true;
  for (std::uint32_t i = threadIdx.x; i < count; i += window_threads) {
    has_all &= slot_of[i] != no_slot;
    slot[begin + i] = slot_of[i];
  }
  has_all = __syncthreads_and(has_all ? 1 : 0) != 0;
  if (threadIdx.x == 0) first[blockIdx.x] = has_all ? lowest : no_window;
}

}  // namespace

void find_windows(const std::uint32_t *rows, std::uint64_t n, std::uint32_t *first, std::uint16_t *slot,
                  Stream stream) {
  if (n == 0) return;
  find_window<<<static_cast<unsigned>(core::blocks_of(n)), window_threads, 0, stream>>>(rows, n, first, slot);
  check(cudaGetLastError(), "windows of rows");
}

}  // namespace gpz::cuda
