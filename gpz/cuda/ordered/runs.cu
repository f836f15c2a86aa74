// SPDX-License-Identifier: BSD-3-Clause
// Expands runs to values. Runs are decoded as a section of two components: gaps, and lengths less 1. Sums over 1,024
// runs, sums over those, and sums within each 1,024 runs give the first particle and the first value of each run.
#include <algorithm>
#include <cub/block/block_scan.cuh>

#include "gpz/core/block.hpp"
#include "gpz/cuda/block/block_store.cuh"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/ordered/block.cuh"
#include "gpz/cuda/ordered/kernels.hpp"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned run_threads = core::default_block_size;
constexpr unsigned most_run_ctas = 1056;  // thread blocks that share all groups of 1,024 runs
constexpr unsigned value_threads = 256;
constexpr U32 values_at_once = 2048;  // per thread block

struct RunSum {
  U64 particles;
  U64 growth;  // from the first value of a run to that of the next
};
struct Add {
  __device__ RunSum operator()(const RunSum &a, const RunSum &b) const {
    return {a.particles + b.particles, a.growth + b.growth};
  }
};
using RunScan = cub::BlockScan<RunSum, run_threads>;

__device__ bool has_runs(const OrderedDecode &params) {
  return *static_cast<volatile U32 *>(params.status) == 0 && params.layout->runs;
}

// Run k. A run that is longer than all particles is damage.
__device__ RunSum run_of(const OrderedDecode &params, U64 k, bool &damaged) {
  if (k >= params.layout->rows) return {0, 0};
  const auto more = static_cast<U64>(params.runs.more[k]);
  damaged |= more >= params.particles;
  return {more + 1, static_cast<U64>(params.runs.gap[k]) + more + 1};
}

__global__ void __launch_bounds__(run_threads) sum_runs(const __grid_constant__ OrderedDecode params) {
  __shared__ RunScan::TempStorage memory;
  if (__syncthreads_or(!has_runs(params)) != 0) return;
  bool damaged = false;
  for (U64 tile = blockIdx.x; tile < params.layout->blocks; tile += gridDim.x) {
    RunSum sum = run_of(params, tile * run_threads + threadIdx.x, damaged);
    RunSum all;
    RunScan(memory).ExclusiveScan(sum, sum, RunSum{0, 0}, Add{}, all);
    if (threadIdx.x == 0) {
      params.runs.particles[tile] = all.particles;
      params.runs.growth[tile] = all.growth;
    }
    __syncthreads();
  }
  if (damaged) atomicOr(params.status, section_damaged);
}

// Runs in one thread block.
__global__ void __launch_bounds__(run_threads) sum_all_runs(const __grid_constant__ OrderedDecode params) {
  __shared__ RunScan::TempStorage memory;
  if (__syncthreads_or(!has_runs(params)) != 0) return;
  RunSum before{0, 0};
  for (U64 start = 0; start < params.layout->blocks; start += run_threads) {
    const U64 tile = start + threadIdx.x;
    const bool is_there = tile < params.layout->blocks;
    RunSum sum = is_there ? RunSum{params.runs.particles[tile], params.runs.growth[tile]} : RunSum{0, 0};
    RunSum all;
    RunScan(memory).ExclusiveScan(sum, sum, RunSum{0, 0}, Add{}, all);
    if (is_there) {
      params.runs.particles[tile] = before.particles + sum.particles;
      params.runs.growth[tile] = before.growth + sum.growth;
    }
    before = Add{}(before, all);
    __syncthreads();
  }
  if (threadIdx.x == 0 && before.particles != params.particles) atomicOr(params.status, section_damaged);
}

__global__ void __launch_bounds__(run_threads) place_runs(const __grid_constant__ OrderedDecode params) {
  __shared__ RunScan::TempStorage memory;
  if (__syncthreads_or(!has_runs(params)) != 0) return;
  for (U64 tile = blockIdx.x; tile < params.layout->blocks; tile += gridDim.x) {
    const U64 k = tile * run_threads + threadIdx.x;
    bool damaged = false;
    RunSum sum = run_of(params, k, damaged);
    RunScan(memory).ExclusiveScan(sum, sum, RunSum{params.runs.particles[tile], params.runs.growth[tile]}, Add{});
    if (k < params.layout->rows) {
      params.runs.gap[k] = core::sum_of(params.runs.gap[k], static_cast<std::int64_t>(sum.growth));
      params.runs.more[k] = static_cast<std::int64_t>(sum.particles);
    }
    __syncthreads();
  }
}

// Last run from `first` to `last` that begins at or before particle i. Run `first` must be one.
__device__ U64 run_at(const std::int64_t *begin, U64 first, U64 last, U64 i) {
  while (first < last) {
    const U64 middle = (first + last + 1) / 2;
    if (static_cast<U64>(begin[middle]) <= i)
      first = middle;
    else
      last = middle - 1;
  }
  return first;
}

template <typename T>
__global__ void __launch_bounds__(value_threads) expand_runs(const __grid_constant__ OrderedDecode params) {
  __shared__ U64 ends[2];  // runs of the first and of the last particle
  const U64 start = U64{blockIdx.x} * values_at_once;
  const U64 end = min(start + values_at_once, params.particles);
  if (__syncthreads_or(!has_runs(params) || params.field.data[0] == nullptr) != 0) return;
  if (threadIdx.x < 2)
    ends[threadIdx.x] = run_at(params.runs.more, 0, params.layout->rows - 1, threadIdx.x == 0 ? start : end - 1);
  __syncthreads();
  for (U64 i = start + threadIdx.x; i < end; i += value_threads) {
    const U64 run = run_at(params.runs.more, ends[0], ends[1], i);
    const std::int64_t q = core::sum_of(params.runs.gap[run], static_cast<std::int64_t>(i) - params.runs.more[run]);
    store(params.field, 0, i, ordered_value<T>(q, params.field.step));
  }
}

template <typename T>
void expand(const OrderedDecode &params, cudaStream_t stream) {
  const auto ctas = static_cast<unsigned>((params.particles + values_at_once - 1) / values_at_once);
  expand_runs<T><<<ctas, value_threads, 0, stream>>>(params);
}

}  // namespace

void launch_expand_runs(const OrderedDecode &params, cudaStream_t stream) {
  const U64 most = core::blocks_of(core::max_runs(params.particles));
  const auto tiles = static_cast<unsigned>(std::min<U64>(most, most_run_ctas));
  if (tiles == 0) return;
  sum_runs<<<tiles, run_threads, 0, stream>>>(params);
  check(cudaGetLastError(), "sums of runs");
  sum_all_runs<<<1, run_threads, 0, stream>>>(params);
  check(cudaGetLastError(), "sums of runs");
  place_runs<<<tiles, run_threads, 0, stream>>>(params);
  check(cudaGetLastError(), "places of runs");
  switch (params.field.value) {
    case core::Value::integer:
      expand<std::int64_t>(params, stream);
      break;
    case core::Value::float32:
      expand<float>(params, stream);
      break;
    case core::Value::float64:
      expand<double>(params, stream);
      break;
  }
  check(cudaGetLastError(), "values of runs");
}

}  // namespace gpz::cuda
