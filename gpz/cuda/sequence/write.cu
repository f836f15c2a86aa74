// SPDX-License-Identifier: BSD-3-Clause
// Writes the bytes of a sequence chunk, once all offsets are known: head, exact values, tables, and for each block its
// record, low bits, escapes and stream.
#include "gpz/chunk.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/scan.cuh"
#include "gpz/cuda/common/warp.cuh"
#include "gpz/cuda/sequence/values.cuh"
#include "gpz/format/section_head.hpp"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned block_threads = 128;

// Writes everything before the strings of frequencies except exact values, and the zeros after parts.
__global__ void write_start(const __grid_constant__ SequenceEncode params) {
  if (!is_complete(params, *params.report)) return;
  const int components = params.field.components;
  const U32 tables = core::sequence_tables(components);
  const SequenceTables &all = *params.tables;
  auto *const words = reinterpret_cast<U32 *>(params.out);
  if (threadIdx.x == 0) {
    const U64 size = params.report->bytes;
    words[0] = core::default_block_size;
    words[1] = static_cast<U32>(ChunkKind::sequence);
    words[2] = static_cast<U32>(size - sequence_head);
    words[3] = static_cast<U32>((size - sequence_head) >> 32);
    words[4] = format::sequence_values;
    words[5] = 0;
    words[6] = static_cast<U32>(all.exact);
    words[7] = static_cast<U32>(all.exact >> 32);
    const U64 end = sequence_payload(all, components, params.blocks) / 4 + params.word_offsets[params.blocks];
    if (end % 2 != 0) words[end] = 0;
    const U32 sum = all.words_before[tables];
    if (sum % 2 != 0) words[(sequence_axes(all) + core::sequence_head_size(components)) / 4 + sum] = 0;
  }
  auto *const items = reinterpret_cast<std::uint16_t *>(params.out + sequence_axes(all));
  if (threadIdx.x < static_cast<unsigned>(components)) {
    const core::SequenceAxis &axis = all.axis[threadIdx.x];
    const U32 item[4] = {axis.shift, axis.up, axis.down, 0};
    for (int k = 0; k < 4; ++k) items[4 * threadIdx.x + static_cast<unsigned>(k)] = static_cast<std::uint16_t>(item[k]);
  }
  if (threadIdx.x < tables) {
    const core::SequenceTable &table = all.table[threadIdx.x];
    const U32 item[4] = {table.escape, table.first, table.count, table.width};
    for (int k = 0; k < 4; ++k)
      items[4 * (static_cast<unsigned>(components) + threadIdx.x) + static_cast<unsigned>(k)] =
          static_cast<std::uint16_t>(item[k]);
  }
}

// One thread block per table, one thread per word of its frequencies.
__global__ void write_tables(const __grid_constant__ SequenceEncode params) {
  if (!is_complete(params, *params.report)) return;
  const U32 t = blockIdx.x;
  const core::SequenceTable table = params.tables->table[t];
  auto *const out = reinterpret_cast<U32 *>(params.out + sequence_axes(*params.tables) +
                                            core::sequence_head_size(params.field.components)) +
                    params.tables->words_before[t];
  const U32 words = core::words_of_table(table);
  for (U32 w = threadIdx.x; w < words; w += blockDim.x) {
    U64 word = 0;
    for (U32 k = 32 * w / table.width; k < table.count && k * table.width < 32 * w + 32; ++k) {
      const U64 frequency = params.shares[t * core::sequence_symbols + table.first + k] >> packed_start_bits;
      const U32 at = k * table.width;
      word |= at >= 32 * w ? frequency << (at - 32 * w) : frequency >> (32 * w - at);
    }
    out[w] = static_cast<U32>(word);
  }
}

// Writes exact values in the order of their indices, one warp per component of a block.
template <typename T, int D>
__global__ void __launch_bounds__(block_threads) write_exact(const __grid_constant__ SequenceEncode params) {
  const U64 item = U64{blockIdx.x} * (block_threads / warp_size) + threadIdx.x / warp_size;
  if (item >= params.blocks * D || params.exact_counts[item] == 0 || !is_complete(params, *params.report)) return;
  const auto d = static_cast<int>(item / params.blocks);
  const U64 b = item % params.blocks;
  const SequenceValues<T, D, false, true> values(params);
  auto *to = reinterpret_cast<U64 *>(params.out + sequence_start) + 2 * params.exact_offsets[item];
  const U32 n = sequence_block_particles(params.particles, b);
  for (U32 at = 0; at < n; at += warp_size) {
    const U64 i = b * core::sequence_block_size + at + this_lane();
    const T x = at + this_lane() < n ? values.value(d, i) : T{};
    const bool exact = at + this_lane() < n && !values.holds(x);
    const U32 all = __ballot_sync(full_mask, exact);
    if (exact) {
      U64 *const mine = to + 2 * __popc(all & ((1u << this_lane()) - 1));
      mine[0] = i | static_cast<U64>(d) << format::exact_component_shift;
      if constexpr (sizeof(T) == 4)
        mine[1] = core::bit_cast<U32>(x);
      else
        mine[1] = core::bit_cast<U64>(x);
    }
    to += 2 * __popc(all);
  }
}

constexpr U32 run_rows = core::sequence_block_size / core::sequence_lanes;
constexpr unsigned step_threads = 512;
static_assert(run_rows == warp_size * tile_rows);

// Low bits of a block, by component, lane and row. One more row puts lanes into different banks.
template <int D>
struct LowBits {
  U32 of[D][core::sequence_lanes][run_rows + 1];
};

// Word `number` of the low bits of a lane.
__device__ __forceinline__ U32 low_word(const U32 *low, U32 rows, U32 width, U32 number) {
  const U32 begin = 32 * number;
  U32 word = 0;
  for (U32 row = begin / width; row < rows && row * width < begin + 32; ++row)
    word |= row * width >= begin ? low[row] << (row * width - begin) : low[row] >> (begin - row * width);
  return word;
}

// Writes the escapes of a lane's particles from `escape` on, and stores the low bits of the others. Called by a warp.
template <typename T, int D, bool Plain>
__device__ __forceinline__ void split_steps(const SequenceEncode &params, const ChunkValues<T, D, Plain> &values, U64 b,
                                            U32 lane, const core::SequenceAxis (&axis)[D], LowBits<D> &low,
                                            U32 *escape) {
  const SequenceRun run(params.particles, b, lane);
  const U32 row = this_lane() * tile_rows;
  const U32 count = row >= run.mine ? 0 : min(tile_rows, run.mine - row);
  const U64 at = run.first + run.from + row;
  Tile<T> tile[D];
#pragma unroll
  for (int d = 0; d < D; ++d) tile[d] = values.load(d, at, count);
  const U32 before_lane = params.lane_escapes[b * core::sequence_lanes + this_lane()];
  std::int32_t step[tile_rows][D];
  U32 escaped = 0;  // one bit per value
#pragma unroll
  for (int d = 0; d < D; ++d) {
    U32 index[tile_rows];
    values.indices(d, at, tile[d], count, index);
    U32 before = __shfl_up_sync(full_mask, index[tile_rows - 1], 1);
    if (this_lane() == 0 && count != 0) before = run.from == 0 ? index[0] : static_cast<U32>(values.index(d, at - 1));
#pragma unroll
    for (U32 k = 0; k < tile_rows; ++k) {
      step[k][d] = static_cast<std::int32_t>(index[k] - before);
      before = index[k];
      const bool escapes = core::symbol_of_step(step[k][d], axis[d].shift) == 0;
      if (k < count && escapes) escaped |= 1u << (k * D + static_cast<U32>(d));
      low.of[d][lane][row + k] = k < count && !escapes ? core::low_bits_of_step(step[k][d], axis[d].shift) : 0;
    }
  }
  if (__all_sync(full_mask, escaped == 0)) return;
  escape += warp_sum(this_lane() < lane ? before_lane : 0) + warp_exclusive_sum(static_cast<U32>(__popc(escaped)));
#pragma unroll
  for (U32 k = 0; k < tile_rows; ++k)
#pragma unroll
    for (int d = 0; d < D; ++d)
      if ((escaped >> (k * D + static_cast<U32>(d)) & 1) != 0) *escape++ = static_cast<U32>(step[k][d]);
}

// Writes the low bits and escapes of a block, from `to` on.
template <typename T, int D, bool Plain>
__device__ __forceinline__ void write_steps(const SequenceEncode &params, U64 b, const core::SequenceAxis (&axis)[D],
                                            const core::SequenceLayout &layout, LowBits<D> &low, U32 *to) {
  const ChunkValues<T, D, Plain> values(params);
  const U32 rows = core::sequence_rows(sequence_block_particles(params.particles, b));
  const U32 warp = threadIdx.x / warp_size;
  constexpr U32 warps = step_threads / warp_size;
#pragma unroll
  for (U32 lane = 0; lane < core::sequence_lanes; lane += warps)
    split_steps<T, D, Plain>(params, values, b, lane + warp, axis, low, to + layout.escapes_at);
  __syncthreads();
#pragma unroll
  for (int d = 0; d < D; ++d) {
    for (U32 w = warp; w < layout.low_words[d] / core::sequence_lanes; w += warps)
      to[w * core::sequence_lanes + this_lane()] = low_word(low.of[d][this_lane()], rows, axis[d].shift, w);
    to += layout.low_words[d];
  }
}

// One thread block per block of particles.
template <typename T, int D, bool Plain>
__global__ void __launch_bounds__(step_threads, 3) write_blocks(const __grid_constant__ SequenceEncode params) {
  constexpr U32 room = core::sequence_block_size * D;
  __shared__ U32 pages[room / page_words];
  extern __shared__ __align__(16) char shared[];
  const U64 b = blockIdx.x;
  if (threadIdx.x < room / page_words) pages[threadIdx.x] = params.page_lists[b * (room / page_words) + threadIdx.x];
  if (!is_complete(params, *params.report)) return;
  __syncthreads();
  const core::SequenceRecord record = params.records[b];
  if (threadIdx.x == 0) {
    auto *const directory =
        reinterpret_cast<U32 *>(params.out + sequence_directory(*params.tables, D) + b * core::sequence_record_size(D));
    directory[0] = record.stream;
    directory[1] = record.escapes;
#pragma unroll
    for (int d = 0; d < D; ++d) {
      directory[2 + 2 * d] = static_cast<U32>(record.first[d]);
      directory[3 + 2 * d] = static_cast<U32>(static_cast<U64>(record.first[d]) >> 32);
    }
  }
  U32 *const to =
      reinterpret_cast<U32 *>(params.out + sequence_payload(*params.tables, D, params.blocks)) + params.word_offsets[b];
  core::SequenceAxis axis[D];
#pragma unroll
  for (int d = 0; d < D; ++d) axis[d] = params.tables->axis[d];
  const core::SequenceLayout layout(axis, D, sequence_block_particles(params.particles, b), record);
  if (layout.states_at != 0)
    write_steps<T, D, Plain>(params, b, axis, layout, *reinterpret_cast<LowBits<D> *>(shared), to);
  if (threadIdx.x < core::sequence_lanes)
    to[layout.states_at + threadIdx.x] = params.states[b * core::sequence_lanes + threadIdx.x];
  const auto word = [&](U32 k) {
    const U32 at = room - record.stream + k;
    return U32{params.pages[U64{pages[at / page_words]} * page_words + at % page_words]};
  };
#pragma unroll 4
  for (U32 w = threadIdx.x; w < (record.stream + 1) / 2; w += step_threads)
    to[layout.stream_at + w] = word(2 * w) | (2 * w + 1 < record.stream ? word(2 * w + 1) << 16 : 0);
}

template <typename T, int D>
void launch(const SequenceEncode &params, cudaStream_t stream) {
  const U64 items = params.blocks * D;
  constexpr unsigned warps = block_threads / warp_size;
  if (!params.plain)
    write_exact<T, D><<<static_cast<unsigned>((items + warps - 1) / warps), block_threads, 0, stream>>>(params);
  const auto write = [&](auto *kernel) {
    constexpr std::size_t shared = sizeof(LowBits<D>);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
          "shared memory");
    kernel<<<static_cast<unsigned>(params.blocks), step_threads, shared, stream>>>(params);
  };
  if (params.plain)
    write(write_blocks<T, D, true>);
  else
    write(write_blocks<T, D, false>);
}

}  // namespace

void write_sequence(const SequenceEncode &params, cudaStream_t stream) {
  write_start<<<1, 32, 0, stream>>>(params);
  write_tables<<<core::sequence_tables(params.field.components), 128, 0, stream>>>(params);
  std::size_t bytes = params.scan_bytes;
  if (!params.plain)
    check(exclusive_sum(params.scan, bytes, params.exact_counts, params.exact_offsets,
                        params.blocks * static_cast<unsigned>(params.field.components) + 1, stream),
          "scan");
  with_form(params.field,
            [&](auto value, auto components) { launch<decltype(value), decltype(components)::value>(params, stream); });
  check(cudaGetLastError(), "launch");
}

}  // namespace gpz::cuda
