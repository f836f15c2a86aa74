// SPDX-License-Identifier: BSD-3-Clause
// Decodes blocks of ordered sections, one warp per block. The position of a particle is predicted from an earlier
// particle, so that it is a sum along a path to the first one. Rows of 32 particles are decoded in turn: by pointer
// jumping within a row, then by the positions of earlier rows. All sums are modulo the period, relative to the first
// position of the block, and have 32 bits. Blocks that do not fit are left to decode_other.cu.
#include <type_traits>

#include "gpz/cuda/block/store_choice.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/ordered/block.cuh"
#include "gpz/cuda/ordered/ids.cuh"
#include "gpz/cuda/ordered/kernels.hpp"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr int ordered_warps = 2;  // per thread block, each with its own block of particles
// Sums of positions below this in magnitude fit into 32 bits, including all intermediate sums.
constexpr U64 sum_end = 1u << 30;
constexpr int is_root = INT32_MIN;  // marks a particle without parent

// An axis with positions relative to the first particle: modulo `period`, or signed on an open axis.
struct Line {
  U32 period;     // 0: open
  U32 offset[3];  // of lag 0, of lag 1, of the previous particle

  // For two numbers below the period.
  __device__ __forceinline__ U32 sum(U32 a, U32 b) const { return min(a + b, a + b - period); }
  // For a residual of at most half the period.
  __device__ __forceinline__ U32 residue(U32 u) const {
    const U32 x = u >> 1 ^ (0u - (u & 1));
    return min(x, x + period);
  }
};

// Magnitude of any step, including INT64_MIN.
__device__ __forceinline__ U64 magnitude_of(std::int64_t step) {
  return step < 0 ? 0 - static_cast<U64>(step) : static_cast<U64>(step);
}

// Largest number of a residual. Called by all lanes.
__device__ __forceinline__ U32 largest_number(const U32 *u) {
  const U32 *row = u + this_lane() * padded_row;
  U32 largest = 0;
#pragma unroll 8
  for (int k = 0; k < warp_size; ++k) largest = max(largest, row[k]);
  return warp_max(largest);
}

// Replaces the residuals of exceptions by their positions less the first one. Returns the status to all lanes. `reach`
// becomes the largest distance from the first position on an open axis.
template <int D>
__device__ __noinline__ U32 place_exceptions(const OrderedLayout &layout, const core::OrderedRecord &record,
                                             const OrderedPayload payload, U32 n, OrderedMemory &memory, U64 &reach) {
  bool damaged = false;
  U64 farthest = 0;
  for (U32 e = this_lane(); e < payload.exceptions; e += warp_size) {
    if (!payload.is_valid(e, D, n)) {
      damaged = true;
      continue;
    }
    const int d = payload.component(e);
    const core::GridAxis axis = layout.axis[d];
    std::int64_t relative = core::difference_of(core::inside(payload.value(e), axis), record.first[d]);
    if (axis.period == 0)
      farthest = max(farthest, magnitude_of(relative));
    else if (relative < 0)
      relative += axis.period;
    memory.u[d][padded_index(payload.index(e))] = static_cast<U32>(relative);
    atomicOr(&memory.exception[d][payload.index(e) / warp_size], 1u << payload.index(e) % warp_size);
  }
  reach = warp_max(farthest);
  return __any_sync(full_mask, damaged) != 0 ? section_damaged : 0;
}

// Sets the line of axis d. Returns false if positions less the first one do not fit into 32 bits.
__device__ __forceinline__ bool make_line(const OrderedLayout &layout, std::int64_t first, int d, U32 n, U32 largest,
                                          U64 reach, Line &line) {
  const core::OrderedPredictor &predictor = layout.predictor;
  const core::GridAxis axis = layout.axis[d];
  const U64 residual = (U64{largest} + 1) / 2;
  line.period = static_cast<U32>(axis.period);
  line.offset[0] = static_cast<U32>(predictor.offset[0][d]);
  line.offset[1] = static_cast<U32>(predictor.offset[1][d]);
  line.offset[2] = 0;
  if (axis.period != 0)
    return axis.period <= static_cast<std::int64_t>(sum_end) && first >= axis.lo && first < axis.lo + axis.period &&
           residual <= static_cast<U64>(axis.period / 2);
  const U64 step = max(magnitude_of(predictor.offset[0][d]), magnitude_of(predictor.offset[1][d]));
  return step < sum_end && reach < sum_end && (residual + step) * n + reach < sum_end;
}

// Replaces the numbers of residuals by positions less the first one. Called by all lanes.
template <int D>
__device__ __forceinline__ void find_positions(const core::OrderedPredictor &predictor, const Line (&line)[D],
                                               bool gaps, U32 n, OrderedMemory &memory) {
  const U32 lane = this_lane();
  // Copied to registers, because the compiler cannot exclude that the stores below change the predictor.
  const U32 lag[2] = {predictor.lag[0], predictor.lag[1]};
  const U32 all_swapped = predictor.swapped;
  const bool alone = lag[0] == 0;
#pragma unroll 1
  for (int row = 0; row < difference_rows; ++row) {
    const U32 i = static_cast<U32>(row) * warp_size + lane;
    const int start = row * warp_size;
    int parent[2] = {-1, -1};
    if (i < n && !alone)
      for (int k = 0; k < 2; ++k) parent[k] = parent_of(memory.bitmap, gaps, lag[k], i);
    U32 relative[D];
    int target[D];
    bool jumps = false;
#pragma unroll
    for (int d = 0; d < D; ++d) {
      const U32 u = memory.u[d][row * padded_row + static_cast<int>(lane)];
      const U32 step = line[d].residue(u);
      const bool swapped = (all_swapped >> d & 1) != 0;
      const int here = swapped ? parent[1] : parent[0];
      const int other = swapped ? parent[0] : parent[1];
      const U32 own = swapped ? line[d].offset[1] : line[d].offset[0];
      const U32 second = swapped ? line[d].offset[0] : line[d].offset[1];
      const int from = here >= 0 ? here : other >= 0 ? other : static_cast<int>(i) - 1;
      const U32 offset = here >= 0 ? own : other >= 0 ? second : 0;
      relative[d] = line[d].sum(step, offset);
      target[d] = from - start;
      if (alone || i == 0 || i >= n) {
        relative[d] = step;
        target[d] = is_root;
      }
      if ((memory.exception[d][row] >> lane & 1) != 0) {
        relative[d] = u;
        target[d] = is_root;
      }
      jumps |= target[d] >= 0;
    }
    while (__any_sync(full_mask, jumps) != 0) {
      jumps = false;
#pragma unroll
      for (int d = 0; d < D; ++d) {
        const U32 before = __shfl_sync(full_mask, relative[d], target[d]);
        const int next = __shfl_sync(full_mask, target[d], target[d]);
        if (target[d] >= 0) {
          relative[d] = line[d].sum(relative[d], before);
          target[d] = next;
        }
        jumps |= target[d] >= 0;
      }
    }
#pragma unroll
    for (int d = 0; d < D; ++d) {
      if (target[d] != is_root)
        relative[d] = line[d].sum(relative[d], memory.u[d][padded_index(static_cast<U32>(start + target[d]))]);
      memory.u[d][row * padded_row + static_cast<int>(lane)] = relative[d];
    }
    __syncwarp();
  }
}

template <typename T, typename Store, int D>
__global__ void __launch_bounds__(ordered_warps *warp_size, 6)
    decode_blocks(const __grid_constant__ OrderedDecode params, bool runs) {
  __shared__ OrderedMemory all_memory[ordered_warps];
  static_assert(sizeof(typename Store::Shared) <= sizeof(OrderedMemory::bitmap));
  const U64 block = static_cast<U64>(blockIdx.x) * ordered_warps + threadIdx.x / warp_size;
  const OrderedLayout &layout = *params.layout;
  if (*static_cast<volatile U32 *>(params.status) != 0 || layout.runs != runs || block >= layout.blocks) return;
  OrderedMemory &memory = all_memory[threadIdx.x / warp_size];
  const U32 n = rows_of(layout, block);
  const core::OrderedRecord &record = params.records[block];
  const core::ResidualRecord residuals = record.residuals;
  const U32 *words = payload_of(params, block);
  if (words == nullptr || !read_residuals<D>(residuals, words, n, memory)) {
    atomicOr(params.status, section_damaged);
    return;
  }
  U32 largest[D];
#pragma unroll
  for (int d = 0; d < D; ++d) largest[d] = largest_number(memory.u[d]);
  const OrderedPayload payload(residuals, words, D, n);
  U64 reach = 0;
  U32 status = 0;
  __syncwarp();  // all lanes have read what exceptions overwrite
  if (payload.exceptions != 0) status = place_exceptions<D>(layout, record, payload, n, memory, reach);
  __syncwarp();
  Line line[D];
  bool fits = true;
#pragma unroll
  for (int d = 0; d < D; ++d) fits &= make_line(layout, record.first[d], d, n, largest[d], reach, line[d]);
  const Ids ids = load_ids(params.ids == nullptr ? nullptr : params.ids + block * difference_block, n, memory.bitmap);
  if (status == 0 && (!fits || ids == Ids::wide)) {
    if (this_lane() == 0) params.others[atomicAdd(params.other_count, 1u)] = static_cast<U32>(block);
    return;
  }
  std::int64_t first[D];
  core::GridAxis axes[D];
#pragma unroll
  for (int d = 0; d < D; ++d) {
    first[d] = record.first[d];
    axes[d] = layout.axis[d];
  }
  const auto position = [&](int d, int row) {
    const U32 relative = memory.u[d][row * padded_row + static_cast<int>(this_lane())];
    const core::GridAxis axis = d == 0 ? axes[0] : d == 1 ? axes[D > 1 ? 1 : 0] : axes[D - 1];
    const std::int64_t from = d == 0 ? first[0] : d == 1 ? first[D > 1 ? 1 : 0] : first[D - 1];
    return axis.period == 0 ? core::sum_of(from, static_cast<std::int32_t>(relative))
                            : core::step_from(from, relative, axis);
  };
  if (status == 0) {
    find_positions<D>(layout.predictor, line, ids == Ids::gaps, n, memory);
    if (!read_flags(layout, residuals, payload.flags, D, n, position, memory)) status = section_damaged;
  }
  if (status == 0) {
    __syncwarp();
    Store store(params.field, block, *reinterpret_cast<typename Store::Shared *>(memory.bitmap));
    place_values<T, Store, D>(params.field, layout, residuals, payload, block, n, position, memory, store);
  } else {
    atomicOr(params.status, status);
  }
}

struct Launch {
  const OrderedDecode &params;
  bool runs;
  cudaStream_t stream;

  template <typename T, typename Store, int D>
  void run() const {
    const auto ctas = static_cast<unsigned>((params.blocks + ordered_warps - 1) / ordered_warps);
    decode_blocks<T, Store, D><<<ctas, ordered_warps * warp_size, 0, stream>>>(params, runs);
    check(cudaGetLastError(), "decoding of an ordered section");
  }
};

}  // namespace

void launch_decode_ordered(const OrderedDecode &params, bool runs, cudaStream_t stream) {
  const Launch launch{params, runs, stream};
  if (params.field.value == core::Value::integer) return launch_for_arrays<std::int64_t>(params.field, launch);
  launch_for_floats(params.field, launch);
}

}  // namespace gpz::cuda
