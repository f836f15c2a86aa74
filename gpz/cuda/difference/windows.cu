// SPDX-License-Identifier: BSD-3-Clause
// Windows of rows: for each block of slots, the window that contains most of its rows.
#include <algorithm>

#include "gpz/core/block.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/cuda/difference/steps.cuh"

namespace gpz::cuda {
namespace {

constexpr std::uint32_t window_threads = 256;
constexpr std::uint32_t window_warps = window_threads / warp_size;
constexpr std::uint32_t reach = difference_block - 1;  // of a window around the pivot's row, to either side
constexpr std::uint32_t near_rows = 2 * difference_block;
constexpr std::uint32_t pivots = 4;

struct WindowMemory {
  std::uint32_t row[difference_block];
  unsigned short slot_at[near_rows];        // for each row near the pivot: 1 + a slot that has it; 0: none
  std::uint16_t before[near_rows + 1];      // number of such rows before
  std::uint16_t hole[difference_block];     // rows of the window that no slot of the block has
  std::uint16_t outside[difference_block];  // slots whose rows are outside the window
  std::uint32_t near[pivots];               // rows near each pivot
  std::uint32_t sums[window_warps];
  std::uint32_t best;  // number of rows in the best window, and its start, inverted
  std::uint32_t holes;
  std::uint32_t outsiders;
};

// Position of a row among those near the pivot; near_rows if it is not near.
__device__ std::uint32_t offset_near(std::uint32_t row, std::uint32_t pivot) {
  const std::uint32_t at = row - pivot + reach;
  return at < 2 * reach + 1 ? at : near_rows;
}

// Chooses, from some rows, the row with the most other rows near it.
__device__ std::uint32_t choose_pivot(WindowMemory &memory, std::uint32_t n) {
  std::uint32_t pivot[pivots];
  for (std::uint32_t p = 0; p < pivots; ++p) pivot[p] = memory.row[(2 * p + 1) * n / (2 * pivots)];
  for (std::uint32_t p = 0; p < pivots; ++p) {
    std::uint32_t count = 0;
    for (std::uint32_t i = threadIdx.x; i < n; i += window_threads)
      count += offset_near(memory.row[i], pivot[p]) != near_rows ? 1 : 0;
    count = warp_sum(count);
    if (this_lane() == 0) atomicAdd(&memory.near[p], count);
  }
  __syncthreads();
  std::uint32_t best = 0;
  for (std::uint32_t p = 1; p < pivots; ++p) best = memory.near[p] > memory.near[best] ? p : best;
  return memory.row[(2 * best + 1) * n / (2 * pivots)];
}

// Computes memory.before from memory.slot_at.
__device__ void count_rows(WindowMemory &memory) {
  constexpr std::uint32_t share = near_rows / window_threads;
  const std::uint32_t first = threadIdx.x * share;
  std::uint32_t own = 0;
  for (std::uint32_t k = 0; k < share; ++k) own += memory.slot_at[first + k] != 0 ? 1 : 0;
  std::uint32_t total;
  std::uint32_t before = warp_exclusive_sum(own, &total);
  if (this_lane() == 0) memory.sums[threadIdx.x / warp_size] = total;
  __syncthreads();
  for (std::uint32_t w = 0; w < threadIdx.x / warp_size; ++w) before += memory.sums[w];
  for (std::uint32_t k = 0; k < share; ++k) {
    memory.before[first + k] = static_cast<std::uint16_t>(before);
    before += memory.slot_at[first + k] != 0 ? 1 : 0;
  }
  if (threadIdx.x == window_threads - 1) memory.before[near_rows] = static_cast<std::uint16_t>(before);
  __syncthreads();
}

// One thread block per block of slots. A window has a row once, even if several slots have it.
__global__ void __launch_bounds__(window_threads)
    find_window(const std::uint32_t *rows, std::uint64_t all, std::uint32_t *first, std::uint16_t *slot) {
  __shared__ WindowMemory memory;
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * difference_block;
  const auto n = static_cast<std::uint32_t>(min(all - begin, std::uint64_t{difference_block}));
  for (std::uint32_t i = threadIdx.x; i < n; i += window_threads) memory.row[i] = rows[begin + i];
  for (std::uint32_t i = threadIdx.x; i < near_rows; i += window_threads) memory.slot_at[i] = 0;
  if (threadIdx.x < pivots) memory.near[threadIdx.x] = 0;
  if (threadIdx.x == 0) memory.best = memory.holes = memory.outsiders = 0;
  __syncthreads();
  const std::uint32_t pivot = choose_pivot(memory, n);
  for (std::uint32_t i = threadIdx.x; i < n; i += window_threads)
    if (const std::uint32_t at = offset_near(memory.row[i], pivot); at != near_rows)
      atomicCAS(&memory.slot_at[at], std::uint16_t{0}, static_cast<std::uint16_t>(i + 1));
  __syncthreads();
  count_rows(memory);
  // A window must not begin before row 0.
  const std::uint32_t lowest = pivot < reach ? reach - pivot : 0;
  std::uint32_t best = 0;
  for (std::uint32_t s = lowest + threadIdx.x; s + n <= near_rows; s += window_threads)
    best = max(best, static_cast<std::uint32_t>(memory.before[s + n] - memory.before[s]) << 16 | (near_rows - s));
  best = warp_max(best);
  if (this_lane() == 0) atomicMax(&memory.best, best);
  __syncthreads();
  best = memory.best;
  const std::uint32_t start = near_rows - (best & 0xFFFF);
  const bool has_window = (best >> 16) * 2 >= n;
  if (threadIdx.x == 0) first[blockIdx.x] = has_window ? pivot - reach + start : no_window;
  if (!has_window) return;
  for (std::uint32_t i = threadIdx.x; i < n; i += window_threads) {
    const std::uint32_t there = memory.slot_at[start + i];
    if (there != 0)
      slot[begin + i] = static_cast<std::uint16_t>(there - 1);
    else
      memory.hole[atomicAdd(&memory.holes, 1u)] = static_cast<std::uint16_t>(i);
    const std::uint32_t at = offset_near(memory.row[i], pivot);
    if (at < start || at >= start + n || memory.slot_at[at] != i + 1)
      memory.outside[atomicAdd(&memory.outsiders, 1u)] = static_cast<std::uint16_t>(i);
  }
  __syncthreads();
  for (std::uint32_t k = threadIdx.x; k < memory.holes; k += window_threads)
    slot[begin + memory.hole[k]] = static_cast<std::uint16_t>(memory.outside[k] | row_elsewhere);
}

}  // namespace

void find_windows(const std::uint32_t *rows, std::uint64_t n, std::uint32_t *first, std::uint16_t *slot,
                  Stream stream) {
  if (n == 0) return;
  find_window<<<static_cast<unsigned>(core::blocks_of(n)), window_threads, 0, stream>>>(rows, n, first, slot);
  check(cudaGetLastError(), "windows of rows");
}

namespace {
const KernelFile kernels(reinterpret_cast<const void *>(find_window));
}  // namespace

}  // namespace gpz::cuda
