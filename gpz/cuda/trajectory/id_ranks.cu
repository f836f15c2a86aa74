// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>

#include "gpz/core/pack.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/warp.cuh"
#include "gpz/cuda/trajectory/id_ranks.hpp"

namespace gpz::cuda {
namespace {

constexpr unsigned rank_threads = 256;
constexpr unsigned most_ctas = 2048;

unsigned grid_for(std::uint64_t items) { return static_cast<unsigned>((items + rank_threads - 1) / rank_threads); }

// Computes the bitwise or of all ids, and numbers the slots.
__global__ void __launch_bounds__(rank_threads)
    join_bits(const std::int64_t *ids, std::uint64_t n, unsigned long long *bits, std::uint32_t *numbers) {
  std::uint64_t joined = 0;
  const std::uint64_t step = std::uint64_t{gridDim.x} * rank_threads;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * rank_threads + threadIdx.x; i < n; i += step) {
    joined |= static_cast<std::uint64_t>(ids[i]);
    numbers[i] = static_cast<std::uint32_t>(i);
  }
  const std::uint64_t low = warp_or(static_cast<std::uint32_t>(joined));
  const std::uint64_t high = warp_or(static_cast<std::uint32_t>(joined >> 32));
  if (this_lane() == 0) atomicOr(bits, static_cast<unsigned long long>(high << 32 | low));
}

__global__ void __launch_bounds__(rank_threads)
    place_ranks(const std::uint32_t *slots, std::uint64_t n, std::uint32_t *rows) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * rank_threads + threadIdx.x;
  if (i < n) rows[slots[i]] = static_cast<std::uint32_t>(i);
}

__global__ void __launch_bounds__(rank_threads)
    find_rows(const int *rows, const std::uint32_t *slots, const std::int64_t *sorted, std::uint64_t n,
              std::uint32_t *sorted_rows, std::uint32_t *repeats) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * rank_threads + threadIdx.x;
  if (i >= n) return;
  const std::uint32_t slot = slots[i];
  sorted_rows[i] = rows == nullptr ? slot : static_cast<std::uint32_t>(rows[slot]);
  if (i + 1 < n && sorted[i] == sorted[i + 1]) *repeats = 1;
}

cudaError_t sort(void *memory, std::size_t &bytes, const std::int64_t *ids, std::int64_t *sorted,
                 const std::uint32_t *numbers, std::uint32_t *slots, std::uint64_t n, int end_bit, Stream stream) {
  return cub::DeviceRadixSort::SortPairs(memory, bytes, ids, sorted, numbers, slots, n, 0, end_bit, stream);
}

}  // namespace

IdRanks::Arrays IdRanks::carve(void *memory, std::uint64_t n) {
  Carver carver(memory);
  Arrays arrays{};
  arrays.bits = carver.take<std::uint64_t>(1);
  arrays.rows = carver.take<std::uint32_t>(n);
  arrays.sorted = carver.take<std::int64_t>(n);
  arrays.numbers = carver.take<std::uint32_t>(n);
  arrays.slots = carver.take<std::uint32_t>(n);
  check(sort(nullptr, arrays.sort_bytes, nullptr, nullptr, nullptr, nullptr, n, 64, nullptr), "size of a sort");
  arrays.sort = carver.take<char>(arrays.sort_bytes);
  arrays.used = carver.used();
  return arrays;
}

void IdRanks::find(const std::int64_t *ids, std::uint64_t n, std::uint64_t *bits, Stream stream) {
  if (n > capacity_ || memory_.data() == nullptr) {
    release();
    const std::uint64_t capacity = n + n / 8;
    memory_.allocate(carve(nullptr, capacity).used, 0);
    capacity_ = capacity;
    ++allocations_;
  }
  const Arrays arrays = carve(memory_.data(), capacity_);
  rows_ = arrays.rows;
  slots_ = arrays.slots;
  sorted_ = arrays.sorted;
  if (n == 0) return;
  check(cudaMemsetAsync(arrays.bits, 0, sizeof(*arrays.bits), stream), "clearing");
  join_bits<<<grid_for(n) < most_ctas ? grid_for(n) : most_ctas, rank_threads, 0, stream>>>(
      ids, n, reinterpret_cast<unsigned long long *>(arrays.bits), arrays.numbers);
  check(cudaGetLastError(), "range of ids");
  check(cudaMemcpyAsync(bits, arrays.bits, sizeof(*bits), cudaMemcpyDeviceToHost, stream), "range of ids");
  check(cudaStreamSynchronize(stream), "range of ids");
  std::size_t sort_bytes = arrays.sort_bytes;
  check(sort(arrays.sort, sort_bytes, ids, arrays.sorted, arrays.numbers, arrays.slots, n,
             std::max(core::bit_length(*bits), 1), stream),
        "sorting of ids");
  place_ranks<<<grid_for(n), rank_threads, 0, stream>>>(arrays.slots, n, arrays.rows);
  check(cudaGetLastError(), "ranks of ids");
}

void IdRanks::sort_rows(const int *rows, std::uint64_t n, std::uint32_t *sorted_rows, std::uint32_t *repeats,
                        Stream stream) const {
  if (n == 0) return;
  find_rows<<<grid_for(n), rank_threads, 0, stream>>>(rows, slots_, sorted_, n, sorted_rows, repeats);
  check(cudaGetLastError(), "rows in the order of ids");
}

void IdRanks::release() {
  memory_.release();
  capacity_ = 0;
  rows_ = nullptr;
  slots_ = nullptr;
  sorted_ = nullptr;
}

}  // namespace gpz::cuda
