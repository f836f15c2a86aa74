// SPDX-License-Identifier: BSD-3-Clause
// Encodes blocks of ordered sections. One warp per block turns its values into positions in the box, and these, from
// the last row of 32 on, into residuals, because each particle is predicted from an earlier one. Codes of residuals are
// those of difference sections.
#include <type_traits>

#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/difference/block_codes.cuh"
#include "gpz/cuda/ordered/ids.cuh"
#include "gpz/cuda/ordered/kernels.hpp"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

struct EncodeMemory {
  ResidualMemory block;
  U32 ids[difference_block];  // less the first one
};

// Index of a value.
template <typename T>
__device__ __forceinline__ std::int32_t index_at(const OrderedEncode &params, int d, U64 i) {
  const DeviceIndex index =
      device_index(source_value<T>(params.source, d, source_row(params.source, i)), params.source.grid);
  return index.good ? index.q : 0;
}

__device__ __noinline__ void note_bad(OrderedTotals *totals, bool valid) {
  if (valid)
    totals->wide = 1;
  else
    atomicAdd(&totals->invalid, 1ull);
}

// Writes the positions of the values to memory.u. A value outside the box widens the margin, or is an exception.
// Returns the largest error of this lane's values.
template <typename T, int D>
__device__ __forceinline__ double load_positions(const OrderedEncode &params, U64 first, U32 n,
                                                 ResidualMemory &memory) {
  double error = 0;
#pragma unroll 2
  for (int row = 0; row < difference_rows; ++row) {
    const U32 i = static_cast<U32>(row) * warp_size + this_lane();
    const bool active = i < n;
    const U64 from = source_row(params.source, first + (active ? i : n - 1));
#pragma unroll
    for (int d = 0; d < D; ++d) {
      const DeviceIndex index = device_index(source_value<T>(params.source, d, from), params.source.grid);
      const bool good = index.good;
      if (!good && active) note_bad(params.totals, index.valid);
      error = good && index.error > error ? index.error : error;
      const std::int64_t q = good ? index.q : 0;
      const core::GridAxis &axis = params.axis[d];
      const std::int64_t position = core::inside(q, axis);
      bool forced = false;
      if (position != q && active) {
        const std::int64_t beyond = core::beyond_edge(q, axis);
        if (beyond > 0 && beyond <= core::largest_margin(axis) && q == core::other_image(position, axis, beyond))
          atomicMax(&memory.margin, static_cast<U32>(beyond));
        else
          forced = true;
      }
      const U32 all_forced = __ballot_sync(full_mask, forced);
      if (this_lane() == 0) memory.exception[d][row] = all_forced;
      memory.u[d][row * padded_row + static_cast<int>(this_lane())] = static_cast<U32>(position);
    }
  }
  __syncwarp();
  return error;
}

// Returns element n / 2 of the positions in ascending order, found bit by bit. Called by all lanes.
__device__ __noinline__ std::int32_t median(const U32 *u, U32 n) {
  constexpr U32 sign = 1u << 31;
  const U32 *mine = u + this_lane();
  U32 found = 0;
  U32 left = n / 2;
  for (U32 bit = sign; bit != 0; bit >>= 1) {
    U32 below = 0;
    for (int row = 0; row < difference_rows; ++row) {
      const bool active = static_cast<U32>(row) * warp_size + this_lane() < n;
      const U32 key = mine[row * padded_row] ^ sign;
      below += active && ((key ^ found) & ~(bit - 1)) == 0 ? 1 : 0;  // those that have 0 here, too
    }
    below = warp_sum(below);
    if (left >= below) {
      left -= below;
      found |= bit;
    }
  }
  return static_cast<std::int32_t>(found ^ sign);
}

// Repositions the positions by the numbers of their residuals.
template <int D>
__device__ __forceinline__ void find_residuals(const OrderedEncode &params, const std::int64_t (&first)[D],
                                               const U32 *ids, bool gaps, U32 n, ResidualMemory &memory,
                                               ResidualTotals (&totals)[D]) {
  const core::OrderedPredictor &predictor = params.predictor;
  const U32 lane = this_lane();
  const bool alone = predictor.lag[0] == 0;
#pragma unroll 1
  for (int row = difference_rows - 1; row >= 0; --row) {
    const U32 i = static_cast<U32>(row) * warp_size + lane;
    int parent[2] = {-1, -1};
    if (i < n && !alone)
      for (int k = 0; k < 2; ++k) parent[k] = parent_of(ids, gaps, predictor.lag[k], i);
    U32 u[D];
#pragma unroll
    for (int d = 0; d < D; ++d) {
      const core::GridAxis &axis = params.axis[d];
      const auto position_of = [&](U32 at) {
        return std::int64_t{static_cast<std::int32_t>(memory.u[d][at / warp_size * padded_row + at % warp_size])};
      };
      const bool swapped = (predictor.swapped >> d & 1) != 0;
      const int here = swapped ? parent[1] : parent[0];
      const int other = swapped ? parent[0] : parent[1];
      const std::int64_t own = predictor.offset[swapped ? 1 : 0][d];
      const std::int64_t second = predictor.offset[swapped ? 0 : 1][d];
      std::int64_t expected = first[d];
      if (!alone && i != 0 && i < n)
        expected = here >= 0    ? core::step_from(position_of(static_cast<U32>(here)), own, axis)
                   : other >= 0 ? core::step_from(position_of(static_cast<U32>(other)), second, axis)
                                : core::step_from(position_of(i - 1), 0, axis);
      const std::int64_t residual = core::displacement(position_of(i), expected, axis);
      u[d] = i < n ? core::narrow_number(core::zigzag(residual)) : 0;
      totals[d].add(u[d]);
      const U32 longest = __ballot_sync(full_mask, u[d] == core::widest_residual);
      if (lane == 0 && longest != 0) memory.exception[d][row] |= longest;
    }
    __syncwarp();
#pragma unroll
    for (int d = 0; d < D; ++d) memory.u[d][row * padded_row + static_cast<int>(lane)] = u[d];
    __syncwarp();
  }
}

// Writes one flag to memory.flags for each value with another image within the margin: 1 if the value is there. Returns
// the number of flags.
template <typename T, int D>
__device__ __noinline__ U32 write_flags(const OrderedEncode &params, U64 first, U32 n, ResidualMemory &memory) {
  const U32 bit = 1u << this_lane();
  for (int w = 0; w < core::max_components; ++w) memory.flags[w * warp_size + static_cast<int>(this_lane())] = 0;
  __syncwarp();
  U32 count = 0;
  for (int d = 0; d < D; ++d) {
    const core::GridAxis axis = params.axis[d];
    for (int row = 0; row < difference_rows; ++row) {
      const U32 i = static_cast<U32>(row) * warp_size + this_lane();
      bool has_other = false;
      bool is_there = false;
      if (i < n) {
        const std::int64_t q = index_at<T>(params, d, first + i);
        const std::int64_t position = core::inside(q, axis);
        const std::int64_t other = core::other_image(position, axis, memory.margin);
        has_other = other != position;
        is_there = other == q;
      }
      const U32 voters = __ballot_sync(full_mask, has_other);
      const U32 at = count + static_cast<U32>(__popc(voters & (bit - 1)));
      if (has_other && is_there) atomicOr(&memory.flags[at / 32], 1u << at % 32);
      count += static_cast<U32>(__popc(voters));
    }
  }
  __syncwarp();
  return count;
}

// Stores the record of a block and adds it to the totals of all blocks, on which the widths of the directory depend.
template <int D>
__device__ __forceinline__ void publish(const OrderedEncode &params, U64 block, const core::OrderedRecord &record,
                                        U32 words, U64 staged, double error) {
  const U64 largest = warp_max(core::bit_cast<U64>(error));
  const auto lane = static_cast<int>(this_lane());
  if (lane == 0) {
    params.records[block] = record;
    params.words[block] = words;
    params.staged[block] = staged;
  }
  constexpr U32 middle = 1u << 31;
  if (lane == warp_size - 1) {
    unsigned long long *all = &params.totals->error;
    if (largest > __ldcg(all)) atomicMax(all, static_cast<unsigned long long>(largest));
#pragma unroll
    for (int d = 0; d < D; ++d) {
      atomicMax(&params.totals->least[d], middle - static_cast<U32>(record.first[d]));
      atomicMax(&params.totals->most[d], middle + static_cast<U32>(record.first[d]));
    }
    return;
  }
  if (lane >= core::residual_items(D)) return;
  const U32 item = core::residual_item(record.residuals, D, lane);
  U32 *all = &params.totals->items[lane];
  if ((item & ~__ldcg(all)) != 0) atomicOr(all, item);
}

template <typename T, int D>
__device__ __forceinline__ void write_block(const OrderedEncode &params, U64 block, U32 n,
                                            const std::int64_t (&first)[D], ResidualMemory &memory,
                                            ChosenCode (&chosen)[D], double error) {
  const U64 start = block * difference_block;
  core::OrderedRecord all{};
#pragma unroll
  for (int d = 0; d < D; ++d) all.first[d] = first[d];
  core::ResidualRecord &record = all.residuals;
  record.margin = memory.margin;
  U32 bit[D];  // start of the unary codes of the lane's row
  const U32 planes = count_codes(memory, n, chosen, bit, record);
  if (record.margin != 0) record.flags = core::words_for_bits(write_flags<T, D>(params, start, n, memory));
  const U32 words = planes + record.bitmap + record.flags + 3 * record.exceptions;
  unsigned long long staged = 0;
  if (this_lane() == 0) staged = atomicAdd(&params.totals->staged, static_cast<unsigned long long>(words));
  staged = __shfl_sync(full_mask, staged, 0);
  publish<D>(params, block, all, words, staged, error);
  if (staged + words > params.staging_words) return;  // the section does not fit either

  if (record.exceptions != 0) {
    for (int d = 0; d < D; ++d) clear_exceptions(memory.u[d], memory.exception[d][this_lane()]);
    __syncwarp();
  }
  U32 *out = params.staging + staged;
  U32 *behind = out + planes + record.bitmap;
  for (U32 w = this_lane(); w < record.flags; w += warp_size) behind[w] = memory.flags[w];
  behind += record.flags;
  __syncwarp();
  write_codes(memory, n, record.bitmap, chosen, bit, out, out + planes);
  const auto index = [&](int d, U32 i) { return index_at<T>(params, d, start + i); };
  if (record.exceptions != 0) write_exceptions(D, memory, record.exceptions, index, behind);
}

template <typename T, int D>
__global__ void __launch_bounds__(warp_size) encode_blocks(const __grid_constant__ OrderedEncode params) {
  __shared__ EncodeMemory memory;
  const U64 block = blockIdx.x;
  const U64 start = block * difference_block;
  const U64 rest = params.particles - start;
  const U32 n = rest < difference_block ? static_cast<U32>(rest) : difference_block;
  clear(memory.block);
  const double error = load_positions<T, D>(params, start, n, memory.block);
  std::int64_t first[D];
#pragma unroll
  for (int d = 0; d < D; ++d)
    first[d] =
        params.predictor.lag[0] != 0 ? static_cast<std::int32_t>(memory.block.u[d][0]) : median(memory.block.u[d], n);
  const Ids ids = load_ids(params.ids == nullptr ? nullptr : params.ids + start, n, memory.ids);
  if (ids == Ids::wide && this_lane() == 0) params.totals->wide = 1;
  ResidualTotals totals[D];
  find_residuals(params, first, memory.ids, ids == Ids::gaps, n, memory.block, totals);
  U32 exceptions = 0;
#pragma unroll
  for (int d = 0; d < D; ++d) exceptions |= memory.block.exception[d][this_lane()];
  const bool any_forced = __any_sync(full_mask, exceptions != 0) != 0;
  if (this_lane() == 0) memory.block.any_forced = any_forced ? 1 : 0;
  __syncwarp();
  ChosenCode chosen[D];
#pragma unroll 1
  for (int d = 0; d < D; ++d) {
    chosen[0] = choose_code(own_row(memory.block, d, n), any_forced, n, totals[0]);
    if (!chosen[0].counted) find_exceptions(memory.block.u[d], memory.block.exception[d], n, chosen[0]);
    rotate(chosen);
    rotate(totals);
  }
  write_block<T, D>(params, block, n, first, memory.block, chosen, error);
}

template <typename T>
void launch_for(const OrderedEncode &params, int components, cudaStream_t stream) {
  const auto ctas = static_cast<unsigned>(params.blocks);
  if (components == 1) encode_blocks<T, 1><<<ctas, warp_size, 0, stream>>>(params);
  if (components == 2) encode_blocks<T, 2><<<ctas, warp_size, 0, stream>>>(params);
  if (components == 3) encode_blocks<T, 3><<<ctas, warp_size, 0, stream>>>(params);
  check(cudaGetLastError(), "encoding of an ordered section");
}

}  // namespace

void launch_encode_ordered(const OrderedEncode &params, int components, ConstArray::Type type, cudaStream_t stream) {
  switch (type) {
    case ConstArray::Type::int32:
      return launch_for<std::int32_t>(params, components, stream);
    case ConstArray::Type::int64:
      return launch_for<std::int64_t>(params, components, stream);
    case ConstArray::Type::float32:
      return launch_for<float>(params, components, stream);
    case ConstArray::Type::float64:
      return launch_for<double>(params, components, stream);
  }
}

namespace {
const KernelFile kernels(reinterpret_cast<const void *>(encode_blocks<double, 3>));
}  // namespace

}  // namespace gpz::cuda
