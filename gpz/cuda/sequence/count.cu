// SPDX-License-Identifier: BSD-3-Clause
// Counts over all particles of a sequence chunk: steps to choose symbols, then symbols to choose tables. A warp takes
// the particles of a lane, four per thread, because contexts reach only two particles back.
#include <cub/block/block_scan.cuh>
#include <type_traits>

#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/warp.cuh"
#include "gpz/cuda/sequence/values.cuh"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned step_threads = 256;
constexpr unsigned symbol_threads = 1024;

// Particles of a lane that one thread of the lane's warp handles.
struct Part {
  SequenceRun run;
  U64 at;     // first particle
  U32 count;  // at most tile_rows, which it is in full blocks

  __device__ Part(U64 particles, U64 item)
      : run(particles, item / core::sequence_lanes, static_cast<U32>(item % core::sequence_lanes)) {
    const U32 row = this_lane() * tile_rows;
    at = run.first + run.from + row;
    count = row >= run.mine ? 0 : min(tile_rows, run.mine - row);
  }
};

// core::step_magnitude, in 32 bits if these suffice.
__device__ __forceinline__ U32 magnitude_of(std::int64_t step) {
  const auto low = static_cast<std::int32_t>(step);
  return low == step ? 32 - static_cast<U32>(__clz(abs(low))) : core::step_magnitudes - 1;
}

// Quick test that most values pass. The slower core::holds decides about the others.
template <typename T>
class SureGrid {
 public:
  __device__ explicit SureGrid(const core::Grid &grid)
      : bound_(grid.only_its_values ? 0 : static_cast<T>(grid.bound * (1 - 1e-6))),
        largest_(static_cast<T>(core::largest_index * grid.step * (1 - 1e-6))) {}
  __device__ __forceinline__ bool holds(T x, T error) const {
    return (error < bound_) & (core::magnitude(x) < largest_);
  }

 private:
  T bound_;
  T largest_;
};

template <typename T, int D, bool Packed>
__global__ void __launch_bounds__(step_threads, 4) count_steps(const __grid_constant__ SequenceEncode params) {
  __shared__ U32 steps[D * core::step_magnitudes];
  for (U32 k = threadIdx.x; k < D * core::step_magnitudes; k += step_threads) steps[k] = 0;
  __syncthreads();
  const SequenceValues<T, D, Packed, true> values(params);
  const SureGrid<T> sure(params.field.grid);
  bool failed = false;
  T error = 0;
  const U64 warps = U64{gridDim.x} * (step_threads / warp_size);
  const U64 items = params.blocks * core::sequence_lanes;
  const auto count = [&](auto whole, U64 item, const Part &part) {
    constexpr bool Whole = decltype(whole)::value;
    Tile<T> tile[D];
#pragma unroll
    for (int d = 0; d < D; ++d) tile[d] = values.template load<Whole>(d, part.at, part.count);
#pragma unroll
    for (int d = 0; d < D; ++d) {
      std::int64_t index[tile_rows];
      T largest = 0;
      bool all_held = true;
#pragma unroll
      for (U32 k = 0; k < tile_rows; ++k) {
        const core::Quantized<T> q = values.quantized(tile[d].x[k]);
        index[k] = q.index;
        largest = max(largest, q.error);
        all_held &= sure.holds(tile[d].x[k], q.error);  // missing values are 0
      }
      U32 exact = 0;
      if (!all_held) {
        largest = 0;
#pragma unroll
        for (U32 k = 0; k < tile_rows; ++k) {
          if (values.holds(tile[d].x[k])) {
            largest = max(largest, values.quantized(tile[d].x[k]).error);
            continue;
          }
          index[k] = index_before<T>(params.field, d, part.at + k);
          failed |= index[k] == out_of_reach;
          ++exact;
        }
      }
      error = max(error, largest);
      if (exact != 0) {
        atomicAdd(&params.exact_counts[static_cast<unsigned>(d) * params.blocks + item / core::sequence_lanes], exact);
        atomicAdd(reinterpret_cast<unsigned long long *>(&params.report->exact), exact);
      }
      std::int64_t before = __shfl_up_sync(full_mask, index[tile_rows - 1], 1);
      if (this_lane() == 0 && (Whole || part.count != 0))
        before = part.run.from == 0 ? index[0] : values.index(d, part.at - 1);
#pragma unroll
      for (U32 k = 0; k < tile_rows; ++k) {
        if (Whole || k < part.count)
          atomicAdd(&steps[static_cast<unsigned>(d) * core::step_magnitudes +
                           magnitude_of(core::difference_of(index[k], before))],
                    1u);
        before = index[k];
      }
    }
  };
  for (U64 item = U64{blockIdx.x} * (step_threads / warp_size) + threadIdx.x / warp_size; item < items; item += warps) {
    const Part part(params.particles, item);
    if (part.run.n == core::sequence_block_size)
      count(std::true_type{}, item, part);
    else
      count(std::false_type{}, item, part);
  }
  if (failed) params.report->failed = 1;
  const U64 error_bits = warp_max(core::bit_cast<U64>(static_cast<double>(error)));
  if (this_lane() == 0) atomicMax(reinterpret_cast<unsigned long long *>(&params.report->error_bits), error_bits);
  __syncthreads();
  for (U32 k = threadIdx.x; k < D * core::step_magnitudes; k += step_threads)
    if (steps[k] != 0) atomicAdd(&params.steps[k], steps[k]);
}

__global__ void choose_axes(const __grid_constant__ SequenceEncode params) {
  __shared__ U32 steps[core::max_components * core::step_magnitudes];
  for (U32 k = threadIdx.x; k < core::max_components * core::step_magnitudes; k += warp_size)
    steps[k] = params.steps[k];
  __syncwarp();
  const auto d = static_cast<int>(threadIdx.x);
  if (d == 0) params.tables->exact = params.report->exact;
  if (d >= params.field.components) return;
  core::SequenceAxis axis;
  if (!core::choose_sequence_axis(steps + static_cast<U32>(d) * core::step_magnitudes, axis)) params.report->failed = 1;
  params.tables->axis[d] = axis;
  atomicAdd(&params.report->low_bits, axis.shift);
}

// Returns at once unless the values are as `Plain` says.
template <typename T, int D, bool Plain>
__global__ void __launch_bounds__(symbol_threads, 1) count_symbols(const __grid_constant__ SequenceEncode params) {
  extern __shared__ U32 counts[];
  constexpr U32 all = D * core::sequence_contexts * core::sequence_symbols;
  if (params.report->failed != 0 || (params.packed && params.report->exact == 0) != Plain) return;
  for (U32 k = threadIdx.x; k < all; k += symbol_threads) counts[k] = 0;
  core::SequenceAxis axis[D];
#pragma unroll
  for (int d = 0; d < D; ++d) axis[d] = params.tables->axis[d];
  __syncthreads();
  const ChunkValues<T, D, Plain> values(params);
  const U64 warps = U64{gridDim.x} * (symbol_threads / warp_size);
  const U64 items = params.blocks * core::sequence_lanes;
  const auto count = [&](auto whole, const Part &part) {
    constexpr bool Whole = decltype(whole)::value;
    U32 symbol[tile_rows][D];
    {
      Tile<T> tile[D];
#pragma unroll
      for (int d = 0; d < D; ++d) tile[d] = values.template load<Whole>(d, part.at, part.count);
#pragma unroll
      for (int d = 0; d < D; ++d) {
        U32 index[tile_rows];
        values.indices(d, part.at, tile[d], part.count, index);
        U32 before = __shfl_up_sync(full_mask, index[tile_rows - 1], 1);
        if (this_lane() == 0 && (Whole || part.count != 0))
          before = part.run.from == 0 ? index[0] : static_cast<U32>(values.index(d, part.at - 1));
#pragma unroll
        for (U32 k = 0; k < tile_rows; ++k) {
          symbol[k][d] = core::symbol_of_step(static_cast<std::int32_t>(index[k] - before), axis[d].shift);
          before = index[k];
        }
      }
    }
    // The context after a thread's last row is that of the next thread's first row.
    core::SequenceContext context;
#pragma unroll
    for (int d = 0; d < D; ++d) context.take(d, symbol[tile_rows - 1][d], axis[d]);
#pragma unroll
    for (int d = 0; d < D; ++d) context.own[d] = __shfl_up_sync(full_mask, context.own[d], 1);
    context.last = context.own[D - 1];
    if (this_lane() == 0) context = {};
#pragma unroll
    for (U32 k = 0; k < tile_rows; ++k)
#pragma unroll
      for (int d = 0; d < D; ++d) {
        if (Whole || k < part.count) atomicAdd(&counts[context.table(d) * core::sequence_symbols + symbol[k][d]], 1u);
        context.take(d, symbol[k][d], axis[d]);
      }
  };
  for (U64 item = U64{blockIdx.x} * (symbol_threads / warp_size) + threadIdx.x / warp_size; item < items;
       item += warps) {
    const Part part(params.particles, item);
    if (part.run.n == core::sequence_block_size)
      count(std::true_type{}, part);
    else
      count(std::false_type{}, part);
  }
  __syncthreads();
  for (U32 k = threadIdx.x; k < all; k += symbol_threads)
    if (counts[k] != 0) atomicAdd(&params.counts[k], counts[k]);
}

// One thread block per table, one thread per symbol.
__global__ void __launch_bounds__(core::sequence_symbols) make_tables(const __grid_constant__ SequenceEncode params) {
  using Scan = cub::BlockScan<U64, core::sequence_symbols>;
  __shared__ typename Scan::TempStorage storage;
  __shared__ U32 first;
  __shared__ U32 last;
  __shared__ U32 widest;
  const U32 t = blockIdx.x;
  const U32 s = threadIdx.x;
  const U32 count = params.counts[t * core::sequence_symbols + s];
  const bool used = core::is_used(s, count);
  if (s == 0) {
    first = core::sequence_symbols;
    last = 0;
    widest = 0;
  }
  U64 all;
  U64 ignored;
  Scan(storage).ExclusiveSum(U64{count}, ignored, all);
  __syncthreads();
  const core::SymbolCounts own = core::counts_of(s, count, all);
  U64 rare_before;
  U64 rares;
  Scan(storage).ExclusiveSum(U64{own.rare}, rare_before, rares);
  __syncthreads();
  core::SymbolCounts before;
  core::SymbolCounts together;
  Scan(storage).ExclusiveSum(own.common, before.common, together.common);
  before.rare = static_cast<U32>(rare_before);
  together.rare = static_cast<U32>(rares);
  core::SequenceTable table{};
  PackedShare share = 0;
  U64 bits = 0;
  if (all != 0) {
    const core::TokenShare slots = core::share_of_symbol(before, own, together);
    share = (slots.start & (core::ans_total - 1)) | slots.frequency << packed_start_bits;
    if (s != 0 && used) {
      atomicMin(&first, s);
      atomicMax(&last, s);
      atomicOr(&widest, slots.frequency);
    }
    if (s == 0) table.escape = slots.frequency;
    if (used)
      bits =
          static_cast<U64>(static_cast<float>(count) * (core::ans_bits - log2f(static_cast<float>(slots.frequency))));
  }
  params.shares[t * core::sequence_symbols + s] = share;
  U64 all_bits;
  __syncthreads();
  Scan(storage).ExclusiveSum(bits, ignored, all_bits);
  if (s != 0) return;
  atomicAdd(reinterpret_cast<unsigned long long *>(&params.report->stream_bits), all_bits);
  atomicAdd(reinterpret_cast<unsigned long long *>(&params.report->escapes), count);
  if (last != 0) {
    table.first = first;
    table.count = last + 1 - first;
  }
  table.width = static_cast<U32>(core::bit_length(widest));
  params.tables->table[t] = table;
}

template <typename T, int D>
void launch(const SequenceEncode &params, cudaStream_t stream) {
  const U64 items = params.blocks * core::sequence_lanes;
  const auto grid = [&](unsigned threads, unsigned of_each) {
    const U64 wanted = (items * warp_size + threads - 1) / threads;
    const U64 most = U64{of_each} * params.processors;
    return static_cast<unsigned>(wanted < most ? wanted : most);
  };
  const unsigned step_grid = grid(step_threads, 8);
  if (params.packed)
    count_steps<T, D, true><<<step_grid, step_threads, 0, stream>>>(params);
  else
    count_steps<T, D, false><<<step_grid, step_threads, 0, stream>>>(params);
  choose_axes<<<1, warp_size, 0, stream>>>(params);
  constexpr std::size_t shared = count_shared(D);
  const auto count = [&](auto *kernel) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
          "shared memory");
    kernel<<<grid(symbol_threads, 1), symbol_threads, shared, stream>>>(params);
  };
  if (params.packed) count(count_symbols<T, D, true>);
  count(count_symbols<T, D, false>);
  make_tables<<<core::sequence_tables(D), core::sequence_symbols, 0, stream>>>(params);
  check(cudaGetLastError(), "launch");
}

}  // namespace

void count_sequence(const SequenceEncode &params, cudaStream_t stream) {
  with_form(params.field,
            [&](auto value, auto components) { launch<decltype(value), decltype(components)::value>(params, stream); });
}

}  // namespace gpz::cuda
