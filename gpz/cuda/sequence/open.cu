// SPDX-License-Identifier: BSD-3-Clause
// Opens a sequence chunk for decoding: head, tables and directory. Every length is checked against the available bytes
// before it is used.
#include <cub/block/block_scan.cuh>

#include "gpz/chunk.hpp"
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/scan.cuh"
#include "gpz/cuda/common/warp.cuh"
#include "gpz/cuda/sequence/params.hpp"
#include "gpz/format/section_head.hpp"

namespace gpz::cuda {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr unsigned record_threads = 128;

__device__ void fail(const SequenceDecode &params, U32 how) { atomicMax(&params.report->failed, how); }

// Reads the head of the chunk, axes and tables. Runs in one warp.
__global__ void open_head(const __grid_constant__ SequenceDecode params) {
  const int components = params.field.components;
  const U32 tables = core::sequence_tables(components);
  SequenceTables &all = *params.tables;
  const U64 heads = core::sequence_head_size(components);
  if (threadIdx.x == 0) {
    if (params.size < sequence_start + heads || params.size % 8 != 0 || params.chunk[0] != core::default_block_size)
      return fail(params, chunk_damaged);
    if (params.chunk[1] != static_cast<U32>(ChunkKind::sequence)) return fail(params, chunk_unsupported);
    if ((U64{params.chunk[2]} | U64{params.chunk[3]} << 32) != params.size - sequence_head)
      return fail(params, chunk_damaged);
    if (params.chunk[4] == format::block_coded_values && params.chunk[5] == 0) return fail(params, chunk_unsupported);
    if (params.chunk[4] != format::sequence_values || params.chunk[5] != 0) return fail(params, chunk_damaged);
    all.exact = U64{params.chunk[6]} | U64{params.chunk[7]} << 32;
    if (all.exact > (params.size - sequence_start - heads) / exact_bytes) return fail(params, chunk_damaged);
    params.report->exact = all.exact;
  }
  __syncwarp();
  if (*static_cast<volatile U32 *>(&params.report->failed) != 0) return;
  const auto *const items = reinterpret_cast<const std::uint16_t *>(params.chunk + sequence_axes(all) / 4);
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

// One thread block per table, one thread per symbol.
__global__ void __launch_bounds__(core::sequence_symbols) open_tables(const __grid_constant__ SequenceDecode params) {
  using Scan = cub::BlockScan<U32, core::sequence_symbols>;
  __shared__ typename Scan::TempStorage storage;
  __shared__ U32 starts[core::sequence_symbols];
  if (params.report->failed != 0) return;
  const U32 t = blockIdx.x;
  const U32 s = threadIdx.x;
  const core::SequenceTable table = params.tables->table[t];
  const U32 *const strings = params.chunk +
                             (sequence_axes(*params.tables) + core::sequence_head_size(params.field.components)) / 4 +
                             params.tables->words_before[t];
  const U32 frequency = core::frequency_of(table, strings, s);
  U32 start;
  U32 sum;
  Scan(storage).ExclusiveSum(frequency, start, sum);
  __syncthreads();
  U32 index;
  U32 used;
  Scan(storage).ExclusiveSum(frequency != 0 ? 1u : 0u, index, used);
  if (sum != core::sum_of_frequencies(table) || !core::has_clean_end(table, strings)) {
    if (s == 0) fail(params, chunk_damaged);
    return;
  }
  U32 *const entries = params.entries + t * entry_stride;
  std::uint16_t *const quick = params.quick + t * quick_stride;
  if (table.escape == 0) {  // a context that does not occur
    if (s == 0) {
      entries[0] = no_table;
      entries[1] = core::ans_total;
      params.used[t] = 1;
    }
    for (U32 k = s; k < quick_stride; k += core::sequence_symbols)
      quick[k] = static_cast<std::uint16_t>(t * entry_stride);
    return;
  }
  if (s == 0) {
    entries[used] = core::ans_total;
    params.used[t] = used;
  }
  const core::SequenceAxis &axis = params.tables->axis[t / core::sequence_contexts];
  if (frequency != 0) {
    entries[index] = start | s << entry_symbol_bit | core::class_of_symbol(s, axis) << entry_class_bit;
    starts[index] = start;
  }
  __syncthreads();
  for (U32 k = s; k < quick_stride; k += core::sequence_symbols) {
    U32 low = 0;
    U32 high = used - 1;
    while (low < high) {
      const U32 middle = (low + high + 1) / 2;
      if (starts[middle] <= k * quick_slots)
        low = middle;
      else
        high = middle - 1;
    }
    quick[k] = static_cast<std::uint16_t>(t * entry_stride + low);
  }
}

__global__ void open_records(const __grid_constant__ SequenceDecode params) {
  const U64 b = U64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (b > params.blocks) return;
  U32 words = 0;
  if (b < params.blocks && params.report->failed == 0) {
    const U32 *const at = params.chunk + sequence_directory(*params.tables, params.field.components) / 4 +
                          b * (core::sequence_record_size(params.field.components) / 4);
    core::SequenceRecord record;
    record.stream = at[0];
    record.escapes = at[1];
    for (int d = 0; d < params.field.components; ++d)
      record.first[d] = static_cast<std::int64_t>(U64{at[2 + 2 * d]} | U64{at[3 + 2 * d]} << 32);
    params.records[b] = record;
    const U32 n = sequence_block_particles(params.particles, b);
    if (core::is_valid(record, params.field.components, n))
      words = core::SequenceLayout(params.tables->axis, params.field.components, n, record).total;
    else
      fail(params, chunk_damaged);
  }
  params.words[b] = words;
}

__global__ void check_end(const __grid_constant__ SequenceDecode params) {
  if (params.report->failed != 0) return;
  const U64 end =
      sequence_payload(*params.tables, params.field.components, params.blocks) + params.word_offsets[params.blocks] * 4;
  if (core::round_up_to_8(end) != params.size || (end % 8 != 0 && params.chunk[end / 4] != 0))
    fail(params, chunk_damaged);
}

}  // namespace

void open_sequence(const SequenceDecode &params, cudaStream_t stream) {
  open_head<<<1, warp_size, 0, stream>>>(params);
  open_tables<<<core::sequence_tables(params.field.components), core::sequence_symbols, 0, stream>>>(params);
  open_records<<<static_cast<unsigned>(params.blocks / record_threads + 1), record_threads, 0, stream>>>(params);
  std::size_t bytes = params.scan_bytes;
  check(exclusive_sum(params.scan, bytes, params.words, params.word_offsets, params.blocks + 1, stream), "scan");
  check_end<<<1, 1, 0, stream>>>(params);
  check(cudaGetLastError(), "launch");
}

}  // namespace gpz::cuda
