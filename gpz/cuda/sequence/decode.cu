// SPDX-License-Identifier: BSD-3-Clause
// Sequence chunks back to values: one warp a block decodes steps, one thread block a block sums them up. Every length
// is checked against the bytes there are before it is used.
#include <cub/block/block_scan.cuh>

#include "gpz/chunk.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/cuda/block/block_store.cuh"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/scan.cuh"
#include "gpz/cuda/common/warp.cuh"
#include "gpz/cuda/sequence/params.hpp"
#include "gpz/format/section_head.hpp"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned block_threads = 128;  // of four blocks
constexpr unsigned sum_threads = 256;
constexpr U32 sum_items = core::sequence_block_size / sum_threads;
constexpr std::int32_t escaped = INT32_MIN;  // no step of a symbol

__device__ void fail(const SequenceDecode &params, U32 how) { atomicMax(&params.report->failed, how); }

__device__ core::SequenceRecord record_of(const SequenceDecode &params, U64 b) {
  const U32 *const at = params.chunk + sequence_directory(*params.tables, params.field.components) / 4 +
                        b * (core::sequence_record_size(params.field.components) / 4);
  core::SequenceRecord record;
  record.stream = at[0];
  record.escapes = at[1];
  for (int d = 0; d < params.field.components; ++d)
    record.first[d] = static_cast<std::int64_t>(U64{at[2 + 2 * d]} | U64{at[3 + 2 * d]} << 32);
  return record;
}

// The head of the chunk, axes and tables: one warp.
__global__ void open_head(SequenceDecode params) {
  const int components = params.field.components;
  const U32 tables = core::sequence_tables(components);
  SequenceTables &all = *params.tables;
  if (threadIdx.x == 0) {
    const U64 head = sequence_start + core::sequence_head_size(components);
    if (params.size < head || params.size % 8 != 0 || params.chunk[0] != core::default_block_size)
      return fail(params, chunk_damaged);
    if (params.chunk[1] != static_cast<U32>(ChunkKind::sequence)) return fail(params, chunk_unsupported);
    if ((U64{params.chunk[2]} | U64{params.chunk[3]} << 32) != params.size - 16) return fail(params, chunk_damaged);
    if (params.chunk[4] == format::block_coded_values && params.chunk[5] == 0) return fail(params, chunk_unsupported);
    if (params.chunk[4] != format::sequence_values || params.chunk[5] != 0) return fail(params, chunk_damaged);
    if (params.chunk[6] != 0 || params.chunk[7] != 0) return fail(params, chunk_unsupported);
  }
  __syncwarp();
  if (*static_cast<volatile U32 *>(&params.report->failed) != 0) return;
  const auto *const items = reinterpret_cast<const std::uint16_t *>(params.chunk + sequence_start / 4);
  if (threadIdx.x < static_cast<unsigned>(components)) {
    const std::uint16_t *const item = items + 4 * threadIdx.x;
    const core::SequenceAxis axis{item[0], item[1], item[2]};
    if (!core::is_valid(axis) || item[3] != 0) fail(params, chunk_damaged);
    all.axis[threadIdx.x] = axis;
  }
  if (threadIdx.x < tables) {
    const std::uint16_t *const item = items + 4 * (static_cast<unsigned>(components) + threadIdx.x);
    const core::SequenceTable table{item[0], item[1], item[2], item[3]};
    if (!core::is_valid(table)) fail(params, chunk_damaged);
    all.table[threadIdx.x] = table;
  }
  __syncwarp();
  if (threadIdx.x != 0 || *static_cast<volatile U32 *>(&params.report->failed) != 0) return;
  U32 sum = 0;
  for (U32 t = 0; t < tables; ++t) {
    all.words_before[t] = sum;
    sum += core::words_of_table(all.table[t]);
  }
  all.words_before[tables] = sum;
  const U64 directory = sequence_directory(all, components);
  if (directory > params.size || params.blocks > (params.size - directory) / core::sequence_record_size(components))
    return fail(params, chunk_damaged);
  if (sum % 2 != 0 && params.chunk[directory / 4 - 1] != 0) fail(params, chunk_damaged);
}

// One thread block a table, one thread a symbol.
__global__ void __launch_bounds__(core::sequence_symbols) open_tables(SequenceDecode params) {
  using Scan = cub::BlockScan<U32, core::sequence_symbols>;
  __shared__ typename Scan::TempStorage storage;
  if (params.report->failed != 0) return;
  const U32 t = blockIdx.x;
  const U32 s = threadIdx.x;
  const core::SequenceTable table = params.tables->table[t];
  const U32 *const strings = params.chunk + (sequence_start + core::sequence_head_size(params.field.components)) / 4 +
                             params.tables->words_before[t];
  U32 frequency = s == 0 ? table.escape : 0;
  if (s >= table.first && s < table.first + table.count)
    frequency =
        static_cast<U32>(core::get_bits(strings, U64{s - table.first} * table.width, static_cast<int>(table.width)));
  U32 start;
  U32 sum;
  Scan(storage).ExclusiveSum(frequency, start, sum);
  const U32 used = table.count * table.width;
  const bool bad_end = used % 32 != 0 && strings[used / 32] >> (used % 32) != 0;
  // A context that does not occur: its symbols are not those of memory that nobody wrote.
  if (table.escape == 0)
    for (U32 slot = s; slot < core::ans_total; slot += core::sequence_symbols)
      params.symbols[t * core::ans_total + slot] = 0;
  if (sum != (table.escape == 0 ? 0 : core::ans_total) || bad_end) {
    if (s == 0) fail(params, chunk_damaged);
    return;
  }
  params.shares[t * core::sequence_symbols + s] = (start & (core::ans_total - 1)) | frequency << packed_start_bits;
  for (U32 k = 0; k < frequency; ++k) params.symbols[t * core::ans_total + start + k] = static_cast<std::uint16_t>(s);
}

__global__ void open_records(SequenceDecode params) {
  const U64 b = U64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (b > params.blocks) return;
  U32 words = 0;
  if (b < params.blocks && params.report->failed == 0) {
    const core::SequenceRecord record = record_of(params, b);
    const U32 n = sequence_block_particles(params.particles, b);
    if (core::is_valid(record, params.field.components, n))
      words = core::SequenceLayout(params.tables->axis, params.field.components, n, record).total;
    else
      fail(params, chunk_damaged);
  }
  params.words[b] = words;
}

__global__ void check_end(SequenceDecode params) {
  if (params.report->failed != 0) return;
  const U64 end =
      sequence_payload(*params.tables, params.field.components, params.blocks) + params.word_offsets[params.blocks] * 4;
  if (core::round_up_to_8(end) != params.size || (end % 8 != 0 && params.chunk[end / 4] != 0))
    fail(params, chunk_damaged);
}

// Values of one lane, from the first one on.
class LaneReader {
 public:
  LaneReader() = default;
  __device__ LaneReader(const U32 *words, U32 width) : at_(words + this_lane()), width_(width) {}
  __device__ __forceinline__ U32 next() {
    if (width_ == 0) return 0;
    if (have_ < width_) {
      buffer_ |= U64{*at_} << have_;
      at_ += warp_size;
      have_ += 32;
    }
    const auto value = static_cast<U32>(buffer_) & ((1u << width_) - 1);
    buffer_ >>= width_;
    have_ -= width_;
    return value;
  }

 private:
  const U32 *at_ = nullptr;
  U64 buffer_ = 0;
  U32 have_ = 0;
  U32 width_ = 0;
};

template <int D>
__global__ void __launch_bounds__(block_threads) decode_steps(SequenceDecode params) {
  const U64 b = U64{blockIdx.x} * (block_threads / warp_size) + threadIdx.x / warp_size;
  if (b >= params.blocks || __any_sync(full_mask, params.report->failed != 0) != 0) return;
  const U32 n = sequence_block_particles(params.particles, b);
  const U32 rows = core::sequence_rows(n);
  const U32 from = this_lane() * rows;
  core::SequenceAxis axis[D];
#pragma unroll
  for (int d = 0; d < D; ++d) axis[d] = params.tables->axis[d];
  const core::SequenceRecord record = record_of(params, b);
  const core::SequenceLayout layout(axis, D, n, record);
  const U32 *const words =
      params.chunk + sequence_payload(*params.tables, D, params.blocks) / 4 + params.word_offsets[b];
  const U32 *low_at = words;
  LaneReader low[D];
#pragma unroll
  for (int d = 0; d < D; ++d) {
    low[d] = LaneReader(low_at, axis[d].shift);
    low_at += layout.low_words[d];
  }
  U32 state = words[layout.states_at + this_lane()];
  bool good = state >= core::ans_low;
  const auto *const stream = reinterpret_cast<const std::uint16_t *>(words + layout.stream_at);
  U32 taken = 0;
  U32 escapes = 0;
  core::SequenceContext context;
  std::int32_t *out[D];
#pragma unroll
  for (int d = 0; d < D; ++d)
    out[d] = params.steps + (static_cast<unsigned>(d) * params.blocks + b) * core::sequence_block_size + from;
  for (U32 row = 0; row < rows; ++row) {
    const bool active = from + row < n;
#pragma unroll
    for (int d = 0; d < D; ++d) {
      const U32 t = context.table(d);
      U32 symbol = 0;
      if (active) {
        symbol = __ldg(&params.symbols[t * core::ans_total + state % core::ans_total]);
        const PackedShare share = __ldg(&params.shares[t * core::sequence_symbols + symbol]);
        const U32 frequency = share >> packed_start_bits;
        good &= frequency != 0;
        state = core::ans_pop(state, share & (core::ans_total - 1), frequency);
      }
      const bool wants = active && state < core::ans_low;
      const U32 all_want = __ballot_sync(full_mask, wants);
      if (wants) {
        const U32 at = taken + static_cast<U32>(__popc(all_want & ((1u << this_lane()) - 1)));
        if (at < record.stream)
          state = state << 16 | stream[at];
        else
          good = false;
      }
      taken += static_cast<U32>(__popc(all_want));
      const U32 below = low[d].next();
      if (active) {
        out[d][row] = symbol == 0 ? escaped : core::step_of_symbol(symbol, below, axis[d].shift);
        escapes += symbol == 0 ? 1 : 0;
        context.take(d, symbol, axis[d]);
      }
    }
  }
  good &= state == core::ans_low && taken == record.stream;
  good &= record.stream % 2 == 0 || stream[record.stream] == 0;
  escapes = warp_sum(escapes);
  good &= escapes == record.escapes;
  if (!good) fail(params, chunk_damaged);
}

// Steps to indices to values: one thread block a block.
template <typename T, int D>
__global__ void __launch_bounds__(sum_threads) sum_steps(SequenceDecode params) {
  using Scan = cub::BlockScan<std::int64_t, sum_threads>;
  __shared__ typename Scan::TempStorage storage;
  if (params.report->failed != 0) return;
  const U64 b = blockIdx.x;
  const U32 n = sequence_block_particles(params.particles, b);
  const core::SequenceRecord record = record_of(params, b);
  const core::SequenceLayout layout(params.tables->axis, D, n, record);
  const U32 *escape = params.chunk + sequence_payload(*params.tables, D, params.blocks) / 4 + params.word_offsets[b] +
                      layout.escapes_at;
  const U32 first = threadIdx.x * sum_items;
  std::int32_t step[D][sum_items];
  std::int64_t escapes = 0;
#pragma unroll
  for (int d = 0; d < D; ++d) {
    const std::int32_t *const from =
        params.steps + (static_cast<unsigned>(d) * params.blocks + b) * core::sequence_block_size + first;
#pragma unroll
    for (U32 k = 0; k < sum_items; ++k) {
      step[d][k] = first + k < n ? from[k] : 0;
      escapes += step[d][k] == escaped ? 1 : 0;
    }
  }
  if (record.escapes != 0) {
    std::int64_t before;
    Scan(storage).ExclusiveSum(escapes, before);
    __syncthreads();
    escape += before;
#pragma unroll
    for (U32 k = 0; k < sum_items; ++k)
#pragma unroll
      for (int d = 0; d < D; ++d)
        if (step[d][k] == escaped) step[d][k] = static_cast<std::int32_t>(*escape++);
  }
#pragma unroll
  for (int d = 0; d < D; ++d) {
    std::int64_t sum = 0;
#pragma unroll
    for (U32 k = 0; k < sum_items; ++k) sum += step[d][k];
    std::int64_t before;
    Scan(storage).ExclusiveSum(sum, before);
    __syncthreads();
    std::int64_t index = core::sum_of(record.first[d], before);
    if (params.field.data[d] == nullptr) continue;
#pragma unroll
    for (U32 k = 0; k < sum_items; ++k) {
      index = core::sum_of(index, step[d][k]);
      if (first + k < n)
        store<T>(params.field, d, b * core::sequence_block_size + first + k,
                 core::grid_value<T>(static_cast<double>(index), params.field.step));
    }
  }
}

template <int D>
void launch(const SequenceDecode &params, void *scan, std::size_t scan_bytes, cudaStream_t stream) {
  const auto grid_of = [](U64 items, U64 each) { return static_cast<unsigned>((items + each - 1) / each); };
  open_head<<<1, warp_size, 0, stream>>>(params);
  open_tables<<<core::sequence_tables(D), core::sequence_symbols, 0, stream>>>(params);
  open_records<<<grid_of(params.blocks + 1, block_threads), block_threads, 0, stream>>>(params);
  check(exclusive_sum(scan, scan_bytes, params.words, params.word_offsets, params.blocks + 1, stream), "scan");
  check_end<<<1, 1, 0, stream>>>(params);
  decode_steps<D><<<grid_of(params.blocks, block_threads / warp_size), block_threads, 0, stream>>>(params);
  if (params.field.value == core::Value::float32)
    sum_steps<float, D><<<static_cast<unsigned>(params.blocks), sum_threads, 0, stream>>>(params);
  else
    sum_steps<double, D><<<static_cast<unsigned>(params.blocks), sum_threads, 0, stream>>>(params);
  check(cudaGetLastError(), "launch");
}

}  // namespace

void decode_sequence(const SequenceDecode &params, void *scan, std::size_t scan_bytes, cudaStream_t stream) {
  if (params.field.components == 1) return launch<1>(params, scan, scan_bytes, stream);
  if (params.field.components == 2) return launch<2>(params, scan, scan_bytes, stream);
  launch<3>(params, scan, scan_bytes, stream);
}

}  // namespace gpz::cuda
