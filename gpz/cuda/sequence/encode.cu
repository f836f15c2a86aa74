// SPDX-License-Identifier: BSD-3-Clause
// Sequence chunks on a GPU: steps are counted to choose symbols, symbols to choose tables; then one warp codes each
// block, from the last row on as the states want it, and all blocks are moved together.
#include <cub/block/block_scan.cuh>
#include <type_traits>

#include "gpz/chunk.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/cuda/block/lane_packer.cuh"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/scan.cuh"
#include "gpz/cuda/common/warp.cuh"
#include "gpz/cuda/sequence/params.hpp"
#include "gpz/format/section_head.hpp"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned count_threads = 512;
constexpr unsigned block_threads = 128;  // of four blocks
constexpr std::size_t count_bytes = sizeof(U32) * max_sequence_tables * core::sequence_symbols;

template <typename T>
__device__ __forceinline__ core::Quantized<T> quantized(const FieldParams &field, int d, U64 i) {
  const Array &array = field.array[d];
  return core::quantize(*reinterpret_cast<const T *>(array.data + static_cast<std::int64_t>(i) * array.stride),
                        field.grid);
}
template <typename T>
__device__ __forceinline__ std::int64_t index_of(const FieldParams &field, int d, U64 i) {
  return quantized<T>(field, d, i).index;
}

template <typename T, int D>
__global__ void count_steps(SequenceEncode params) {
  __shared__ U32 steps[D][core::step_magnitudes];
  for (U32 k = threadIdx.x; k < D * core::step_magnitudes; k += blockDim.x) steps[0][k] = 0;
  __syncthreads();
  bool failed = false;
  U64 error_bits = 0;
  for (U64 i = U64{blockIdx.x} * blockDim.x + threadIdx.x; i < params.particles; i += U64{gridDim.x} * blockDim.x)
#pragma unroll
    for (int d = 0; d < D; ++d) {
      const core::Quantized<T> q = quantized<T>(params.field, d, i);
      failed |= !q.valid;
      const U64 bits = core::bit_cast<U64>(static_cast<double>(q.error));
      if (q.valid && bits > error_bits) error_bits = bits;
      const bool first = i % core::sequence_block_size == 0;
      const std::int64_t step = first ? 0 : core::difference_of(q.index, index_of<T>(params.field, d, i - 1));
      atomicAdd(&steps[d][core::step_magnitude(step) % core::step_magnitudes], 1u);
    }
  if (failed) params.report->failed = 1;
  error_bits = [&] {
    for (int offset = 16; offset > 0; offset /= 2) {
      const U64 other = __shfl_xor_sync(full_mask, error_bits, offset);
      error_bits = other > error_bits ? other : error_bits;
    }
    return error_bits;
  }();
  if (this_lane() == 0) atomicMax(reinterpret_cast<unsigned long long *>(&params.report->error_bits), error_bits);
  __syncthreads();
  for (U32 k = threadIdx.x; k < D * core::step_magnitudes; k += blockDim.x)
    if (steps[0][k] != 0) atomicAdd(&params.steps[k], steps[0][k]);
}

__global__ void choose_axes(SequenceEncode params) {
  const auto d = static_cast<int>(threadIdx.x);
  if (d >= params.field.components) return;
  if (!core::choose_sequence_axis(params.steps + static_cast<U32>(d) * core::step_magnitudes, params.tables->axis[d]))
    params.report->failed = 1;
}

// The particles of a lane, from the first one on or from the last one on: their steps and symbols.
template <typename T, int D>
struct Lane {
  __device__ Lane(const SequenceEncode &params, U64 block)
      : field(params.field), n(sequence_block_particles(params.particles, block)) {
    rows = core::sequence_rows(n);
    first = block * core::sequence_block_size;
    from = this_lane() * rows;
    mine = from >= n ? 0 : min(rows, n - from);
#pragma unroll
    for (int d = 0; d < D; ++d) axis[d] = params.tables->axis[d];
  }

  __device__ __forceinline__ std::int64_t index(int d, U32 row) const {
    return index_of<T>(field, d, first + from + row);
  }
  // The index that the first of the lane is expected at.
  __device__ __forceinline__ std::int64_t before(int d) const {
    return index_of<T>(field, d, from == 0 ? first : first + from - 1);
  }

  const FieldParams &field;
  core::SequenceAxis axis[D];
  U64 first;
  U32 n;
  U32 rows;
  U32 from;
  U32 mine;
};

template <typename T, int D>
__global__ void count_symbols(SequenceEncode params) {
  extern __shared__ U32 counts[];
  constexpr U32 all = D * core::sequence_contexts * core::sequence_symbols;
  if (params.report->failed != 0) return;
  for (U32 k = threadIdx.x; k < all; k += blockDim.x) counts[k] = 0;
  __syncthreads();
  const U64 warps = U64{gridDim.x} * (blockDim.x / warp_size);
  for (U64 b = U64{blockIdx.x} * (blockDim.x / warp_size) + threadIdx.x / warp_size; b < params.blocks; b += warps) {
    const Lane<T, D> lane(params, b);
    if (lane.mine == 0) continue;
    core::SequenceContext context;
    std::int64_t last[D];
#pragma unroll
    for (int d = 0; d < D; ++d) last[d] = lane.before(d);
    for (U32 row = 0; row < lane.mine; ++row)
#pragma unroll
      for (int d = 0; d < D; ++d) {
        const std::int64_t q = lane.index(d, row);
        const U32 symbol =
            core::symbol_of_step(static_cast<std::int32_t>(core::difference_of(q, last[d])), lane.axis[d].shift);
        last[d] = q;
        atomicAdd(&counts[context.table(d) * core::sequence_symbols + symbol], 1u);
        context.take(d, symbol, lane.axis[d]);
      }
  }
  __syncthreads();
  for (U32 k = threadIdx.x; k < all; k += blockDim.x)
    if (counts[k] != 0) atomicAdd(&params.counts[k], counts[k]);
}

// One thread block a table, one thread a symbol.
__global__ void __launch_bounds__(core::sequence_symbols) make_tables(SequenceEncode params) {
  using Scan = cub::BlockScan<U64, core::sequence_symbols>;
  __shared__ typename Scan::TempStorage storage;
  __shared__ U32 first;
  __shared__ U32 last;
  __shared__ U32 widest;
  const U32 t = blockIdx.x;
  const U32 s = threadIdx.x;
  const U32 count = params.counts[t * core::sequence_symbols + s];
  const bool used = s == 0 || count != 0;
  if (s == 0) {
    first = core::sequence_symbols;
    last = 0;
    widest = 0;
  }
  U64 all;
  U64 ignored;
  Scan(storage).ExclusiveSum(U64{count}, ignored, all);
  __syncthreads();
  const bool rare = used && core::is_rare(count, all);
  U64 rare_before;
  U64 rares;
  Scan(storage).ExclusiveSum(rare ? U64{1} : U64{0}, rare_before, rares);
  __syncthreads();
  U64 before;
  U64 common;
  const U64 mine = used && !rare ? count : 0;
  Scan(storage).ExclusiveSum(mine, before, common);
  core::SequenceTable table{};
  PackedShare share = 0;
  if (all != 0) {
    const U32 start = core::slots_before(static_cast<U32>(rare_before), before, static_cast<U32>(rares), common);
    const U32 end = core::slots_before(static_cast<U32>(rare_before) + (rare ? 1 : 0), before + mine,
                                       static_cast<U32>(rares), common);
    share = (start & (core::ans_total - 1)) | (end - start) << packed_start_bits;
    if (s != 0 && used) {
      atomicMin(&first, s);
      atomicMax(&last, s);
      atomicOr(&widest, end - start);
    }
    if (s == 0) table.escape = end - start;
  }
  params.shares[t * core::sequence_symbols + s] = share;
  __syncthreads();
  if (s != 0) return;
  if (last != 0) {
    table.first = first;
    table.count = last + 1 - first;
  }
  table.width = static_cast<U32>(core::bit_length(widest));
  params.tables->table[t] = table;
}

// Codes a block into its staging memory.
template <typename T, int D>
__global__ void __launch_bounds__(block_threads) encode_blocks(SequenceEncode params) {
  const U64 b = U64{blockIdx.x} * (block_threads / warp_size) + threadIdx.x / warp_size;
  if (b >= params.blocks || __any_sync(full_mask, params.report->failed != 0) != 0) return;
  const Lane<T, D> lane(params, b);
  U32 *const staged = params.staged + b * core::sequence_room(D);
  core::SequenceRecord record;

  // Low bits, from the first row on, and the number of escapes.
  U32 low_words = 0;
  U32 escapes = 0;
#pragma unroll
  for (int d = 0; d < D; ++d) {
    const U32 shift = lane.axis[d].shift;
    std::int64_t last = lane.mine == 0 ? 0 : lane.before(d);
    LanePacker packer(staged + low_words);
    for (U32 row = 0; row < lane.rows; ++row) {
      U32 low = 0;
      if (row < lane.mine) {
        const std::int64_t q = lane.index(d, row);
        const auto step = static_cast<std::int32_t>(core::difference_of(q, last));
        last = q;
        if (core::symbol_of_step(step, shift) == 0)
          ++escapes;
        else
          low = core::low_bits_of_step(step, shift);
      }
      if (shift != 0) packer.put(low, static_cast<int>(shift));
    }
    if (shift != 0 && lane.rows * shift % 32 != 0) packer.put(0, static_cast<int>(32 - lane.rows * shift % 32));
    low_words += core::packed_words(lane.rows * core::sequence_lanes, static_cast<int>(shift), core::sequence_lanes);
  }
  // The escapes, in the order of particles and components.
  U32 all_escapes = 0;
  U32 escape_at = low_words + warp_exclusive_sum(escapes, &all_escapes);
  if (low_words + all_escapes + core::sequence_lanes > core::sequence_room(D)) {
    if (this_lane() == 0) params.report->failed = 1;
    return;
  }
  if (escapes != 0) {
    std::int64_t last[D];
#pragma unroll
    for (int d = 0; d < D; ++d) last[d] = lane.before(d);
    for (U32 row = 0; row < lane.mine; ++row)
#pragma unroll
      for (int d = 0; d < D; ++d) {
        const std::int64_t q = lane.index(d, row);
        const auto step = static_cast<std::int32_t>(core::difference_of(q, last[d]));
        last[d] = q;
        if (core::symbol_of_step(step, lane.axis[d].shift) == 0) staged[escape_at++] = static_cast<U32>(step);
      }
  }

  // The stream, from the last row on. `symbol` has those of the row, `next` those of the row before it.
  std::uint16_t *const stream = params.streams + b * core::stream_room(D);
  U32 stream_at = core::stream_room(D);
  U32 state = core::ans_low;
  std::int64_t at[D] = {};  // indices of the row before the one that is looked at
  U32 symbol[D] = {};
  const auto step_back = [&](U32 row, int d) {  // the symbol of a row of the lane, whose index is at[d]
    const std::int64_t before = row == 0 ? lane.before(d) : lane.index(d, row - 1);
    const U32 found =
        core::symbol_of_step(static_cast<std::int32_t>(core::difference_of(at[d], before)), lane.axis[d].shift);
    at[d] = before;
    return found;
  };
  for (U32 row = lane.rows; row-- > 0;) {
    const bool active = row < lane.mine;
    U32 next[D] = {};
    core::SequenceContext context[D];
    if (active) {
      if (row + 1 == lane.mine)
#pragma unroll
        for (int d = 0; d < D; ++d) {
          at[d] = lane.index(d, row);
          symbol[d] = step_back(row, d);
        }
      core::SequenceContext walk;
      if (row != 0)
#pragma unroll
        for (int d = 0; d < D; ++d) {
          next[d] = step_back(row - 1, d);
          walk.take(d, next[d], lane.axis[d]);
        }
#pragma unroll
      for (int d = 0; d < D; ++d) {
        context[d] = walk;
        walk.take(d, symbol[d], lane.axis[d]);
      }
    }
#pragma unroll
    for (int d = D - 1; d >= 0; --d) {
      U32 start = 0;
      U32 frequency = core::ans_total;
      if (active) {
        const PackedShare share = __ldg(&params.shares[context[d].table(d) * core::sequence_symbols + symbol[d]]);
        start = share & (core::ans_total - 1);
        frequency = share >> packed_start_bits;
      }
      const bool full = active && core::ans_is_full(state, frequency);
      const U32 all_full = __ballot_sync(full_mask, full);
      stream_at -= static_cast<U32>(__popc(all_full));
      if (full) {
        stream[stream_at + static_cast<U32>(__popc(all_full & ((1u << this_lane()) - 1)))] =
            static_cast<std::uint16_t>(state);
        state >>= 16;
      }
      if (active) state = core::ans_push(state, start, frequency);
    }
    if (active)
#pragma unroll
      for (int d = 0; d < D; ++d) symbol[d] = next[d];
  }
  staged[low_words + all_escapes + this_lane()] = state;
  if (this_lane() != 0) return;
  record.stream = core::stream_room(D) - stream_at;
  record.escapes = all_escapes;
#pragma unroll
  for (int d = 0; d < D; ++d) record.first[d] = index_of<T>(params.field, d, lane.first);
  params.records[b] = record;
  params.words[b] = core::SequenceLayout(lane.axis, D, lane.n, record).total;
}

// Everything in front of the directory, and the length of the chunk.
__global__ void write_start(SequenceEncode params) {
  if (params.report->failed != 0) return;
  const int components = params.field.components;
  const U32 tables = core::sequence_tables(components);
  SequenceTables &all = *params.tables;
  auto *const words = reinterpret_cast<U32 *>(params.out);
  if (threadIdx.x == 0) {
    U32 sum = 0;
    for (U32 t = 0; t < tables; ++t) {
      all.words_before[t] = sum;
      sum += core::words_of_table(all.table[t]);
    }
    all.words_before[tables] = sum;
    const U64 payload = sequence_payload(all, components, params.blocks);
    const U64 payload_words = params.word_offsets[params.blocks];
    const U64 size = core::round_up_to_8(payload + payload_words * 4);
    params.report->bytes = size;
    words[0] = core::default_block_size;
    words[1] = static_cast<U32>(ChunkKind::sequence);
    words[2] = static_cast<U32>(size - 16);
    words[3] = static_cast<U32>((size - 16) >> 32);
    words[4] = format::sequence_values;
    words[5] = words[6] = words[7] = 0;  // no exact values
    if ((payload / 4 + payload_words) % 2 != 0) words[payload / 4 + payload_words] = 0;
    if (sum % 2 != 0) words[(sequence_start + core::sequence_head_size(components)) / 4 + sum] = 0;
  }
  auto *const items = reinterpret_cast<std::uint16_t *>(params.out + sequence_start);
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

// One thread block a table, one thread a word of its frequencies.
__global__ void write_tables(SequenceEncode params) {
  if (params.report->failed != 0) return;
  const U32 t = blockIdx.x;
  const core::SequenceTable table = params.tables->table[t];
  auto *const out =
      reinterpret_cast<U32 *>(params.out + sequence_start + core::sequence_head_size(params.field.components)) +
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

// A warp a block: its record, and its parts from where they were staged.
__global__ void __launch_bounds__(block_threads) gather_blocks(SequenceEncode params) {
  const U64 b = U64{blockIdx.x} * (block_threads / warp_size) + threadIdx.x / warp_size;
  if (b >= params.blocks || params.report->failed != 0) return;
  const int components = params.field.components;
  const core::SequenceRecord &record = params.records[b];
  auto *const directory = reinterpret_cast<U32 *>(params.out + sequence_directory(*params.tables, components) +
                                                  b * core::sequence_record_size(components));
  if (this_lane() == 0) {
    directory[0] = record.stream;
    directory[1] = record.escapes;
    for (int d = 0; d < components; ++d) {
      directory[2 + 2 * d] = static_cast<U32>(record.first[d]);
      directory[3 + 2 * d] = static_cast<U32>(static_cast<U64>(record.first[d]) >> 32);
    }
  }
  U32 *const to = reinterpret_cast<U32 *>(params.out + sequence_payload(*params.tables, components, params.blocks)) +
                  params.word_offsets[b];
  const U32 *const staged = params.staged + b * core::sequence_room(components);
  const U32 total = params.words[b];
  const U32 stream_words = (record.stream + 1) / 2;
  const U32 before = total - stream_words;
  for (U32 w = this_lane(); w < before; w += warp_size) to[w] = staged[w];
  const std::uint16_t *const stream = params.streams + (b + 1) * core::stream_room(components) - record.stream;
  for (U32 w = this_lane(); w < stream_words; w += warp_size)
    to[before + w] = stream[2 * w] | (2 * w + 1 < record.stream ? static_cast<U32>(stream[2 * w + 1]) << 16 : 0);
}

template <typename T, int D>
void launch(const SequenceEncode &params, void *scan, std::size_t scan_bytes, cudaStream_t stream) {
  int device = 0;
  int processors = 0;
  check(cudaGetDevice(&device), "device");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "device");
  const auto grid_of = [](U64 blocks) {
    return static_cast<unsigned>((blocks + block_threads / warp_size - 1) / (block_threads / warp_size));
  };
  const U64 wanted = (params.particles + count_threads - 1) / count_threads;
  const auto counting = static_cast<unsigned>(
      wanted < 4u * static_cast<unsigned>(processors) ? wanted : 4u * static_cast<unsigned>(processors));
  count_steps<T, D><<<counting, count_threads, 0, stream>>>(params);
  choose_axes<<<1, 32, 0, stream>>>(params);
  const std::size_t shared = count_bytes / core::max_components * D;
  check(
      cudaFuncSetAttribute(count_symbols<T, D>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
      "shared memory");
  count_symbols<T, D><<<static_cast<unsigned>(processors), count_threads, shared, stream>>>(params);
  make_tables<<<core::sequence_tables(D), core::sequence_symbols, 0, stream>>>(params);
  encode_blocks<T, D><<<grid_of(params.blocks), block_threads, 0, stream>>>(params);
  check(exclusive_sum(scan, scan_bytes, params.words, params.word_offsets, params.blocks + 1, stream), "scan");
  write_start<<<1, 32, 0, stream>>>(params);
  write_tables<<<core::sequence_tables(D), 128, 0, stream>>>(params);
  gather_blocks<<<grid_of(params.blocks), block_threads, 0, stream>>>(params);
  check(cudaGetLastError(), "launch");
}

template <typename T>
void launch(const SequenceEncode &params, void *scan, std::size_t scan_bytes, cudaStream_t stream) {
  if (params.field.components == 1) return launch<T, 1>(params, scan, scan_bytes, stream);
  if (params.field.components == 2) return launch<T, 2>(params, scan, scan_bytes, stream);
  launch<T, 3>(params, scan, scan_bytes, stream);
}

}  // namespace

void encode_sequence(const SequenceEncode &params, void *scan, std::size_t scan_bytes, cudaStream_t stream) {
  if (params.field.value == core::Value::float32) return launch<float>(params, scan, scan_bytes, stream);
  launch<double>(params, scan, scan_bytes, stream);
}

}  // namespace gpz::cuda
