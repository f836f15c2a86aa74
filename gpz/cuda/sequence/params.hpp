// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the kernels of sequence chunks, as plain data, and the layout of such a chunk with one field.
#pragma once

#include <cuda_runtime.h>

#include "gpz/core/directory.hpp"
#include "gpz/core/sequence.hpp"
#include "gpz/cuda/block/decode_params.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/section_head.hpp"

namespace gpz::cuda {

inline constexpr std::uint32_t max_sequence_tables = core::max_components * core::sequence_contexts;

// Slots of a symbol: the first slot (0 to 4,095) in the low 12 bits, their number (0 to 4,096) above.
using PackedShare = std::uint32_t;
inline constexpr int packed_start_bits = 12;

// Streams are collected in pages, because their lengths are not known in advance.
inline constexpr std::uint32_t page_words = 256;  // words of 16 bits

// Bytes of a chunk with one field before its exact values: head, coding and their number.
inline constexpr std::uint64_t sequence_head = format::chunk_head_size(ChunkKind::sequence, 1);
inline constexpr std::uint64_t sequence_start = sequence_head + format::field_coding_size + sizeof(std::uint64_t);
inline constexpr std::uint64_t exact_bytes = format::exact_value_size;

struct SequenceTables {
  core::SequenceAxis axis[core::max_components];
  core::SequenceTable table[max_sequence_tables];
  std::uint32_t words_before[max_sequence_tables + 1];  // in the strings of frequencies, before each table
  std::uint64_t exact;                                  // number of exact values
};

// Results of the kernels. Must be zero at the start.
struct SequenceReport {
  std::uint64_t bytes;
  std::uint64_t error_bits;   // largest error, as the bits of a double
  std::uint64_t exact;        // number of exact values
  std::uint64_t stream_bits;  // estimated length of all streams
  std::uint64_t escapes;
  std::uint32_t low_bits;  // per particle
  std::uint32_t pages;     // pages of the streams
  std::uint32_t failed;    // encoding: no chunk is possible. Decoding: chunk_damaged or chunk_unsupported
};

struct SequenceEncode {
  FieldParams field;
  bool packed;  // contiguous arrays, from which four values are read at once
  bool plain;   // packed, and the grid holds all values; set after count_sequence
  unsigned processors;
  std::uint64_t particles;
  std::uint64_t blocks;
  std::uint32_t *steps;   // [component][magnitude]
  std::uint32_t *counts;  // [table][symbol]
  PackedShare *shares;    // [table][symbol]
  SequenceTables *tables;
  std::uint32_t *exact_counts;    // [component][block]; 0 after the last
  std::uint64_t *exact_offsets;   // prefix sums of exact_counts
  std::uint16_t *pages;           // where streams are collected
  std::uint32_t pages_there;      // number of pages, without the one for overflow
  std::uint32_t *page_lists;      // [block][page of the longest stream]: numbers of its pages, from the last one on
  std::uint32_t *states;          // [block][lane]
  std::uint16_t *lane_escapes;    // [block][lane]
  core::SequenceRecord *records;  // [block]
  std::uint32_t *words;           // [block]; 0 after the last
  std::uint64_t *word_offsets;    // prefix sums of words
  std::uint8_t *out;
  std::uint64_t out_size;  // bytes of `out`
  void *scan;              // workspace of scans
  std::size_t scan_bytes;
  SequenceReport *report;
};

// Entries of a table, in the order of slots: for each symbol that has slots, its first slot, the symbol, its class. One
// more entry marks the end. If a table does not occur, entry 0 has this bit:
inline constexpr std::uint32_t no_table = 1u << 31;
inline constexpr int entry_symbol_bit = 13;
inline constexpr int entry_class_bit = 23;
inline constexpr std::uint32_t entry_stride = core::sequence_symbols + 4;  // keeps tables at multiples of 16 bytes
// For every 8 slots of a table, the entry of the first one.
inline constexpr std::uint32_t quick_slots = 8;
inline constexpr std::uint32_t quick_stride = core::ans_total / quick_slots;

// Memory of a component's steps until they are summed up: the array of its values, or memory of its own if the values
// are not wanted.
struct StepArray {
  char *data;
  std::int64_t block_bytes;  // distance between blocks
  std::int64_t stride;
  bool side_by_side;  // four steps are written at once
  bool halfway;       // begins in the middle of a 32-byte memory sector
};

struct SequenceDecode {
  DecodeField field;
  StepArray steps[core::max_components];
  unsigned processors;
  const std::uint32_t *chunk;
  std::uint64_t size;  // in bytes
  std::uint64_t particles;
  std::uint64_t blocks;
  SequenceTables *tables;
  std::uint32_t *entries;         // [table][entry_stride]
  std::uint16_t *quick;           // [table][quick_stride]; entries are numbered over all tables
  std::uint32_t *used;            // [table], entries without the end
  core::SequenceRecord *records;  // [block]
  std::uint32_t *words;           // [block]; 0 after the last
  std::uint64_t *word_offsets;
  void *scan;  // workspace of scans
  std::size_t scan_bytes;
  SequenceReport *report;
};

inline constexpr std::uint32_t tile_rows = 4;  // rows of a lane read at once, as lanes are far apart in memory

// A coded value: 1,024 times the table of its context, plus its symbol.
using CodedValue = std::uint16_t;
inline constexpr std::uint32_t coded_rows = 16;  // of each lane, at once
inline constexpr std::uint32_t stream_warps = 32;

// Shared memory of a thread block in bytes: counters of symbols; slots of symbols, and the next coded values of each
// warp; tables.
constexpr std::size_t count_shared(int components) {
  return sizeof(std::uint32_t) * static_cast<std::size_t>(components) * core::sequence_contexts *
         core::sequence_symbols;
}
constexpr std::size_t encode_shared(int components) {
  return sizeof(PackedShare) * static_cast<std::size_t>(components) * core::sequence_contexts * core::sequence_symbols +
         sizeof(CodedValue) * stream_warps * coded_rows * static_cast<std::size_t>(components) * core::sequence_lanes;
}
constexpr std::size_t decode_shared(int components) {
  return static_cast<std::size_t>(components) * core::sequence_contexts *
         (sizeof(std::uint32_t) * entry_stride + sizeof(std::uint16_t) * quick_stride);
}

// True if an array is contiguous and its elements can be accessed four at a time.
inline bool is_packed(const void *data, std::ptrdiff_t stride, std::size_t size) {
  return stride == static_cast<std::ptrdiff_t>(size) && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

// True if the results are a chunk that fits.
GPZ_HD bool is_complete(const SequenceEncode &params, const SequenceReport &report) {
  return report.failed == 0 && report.pages <= params.pages_there && report.bytes <= params.out_size;
}

// Counts everything that memory sizes depend on: symbols, tables, exact values.
void count_sequence(const SequenceEncode &params, cudaStream_t stream);
// Encodes the streams, from which the length of the chunk follows.
void encode_streams(const SequenceEncode &params, cudaStream_t stream);
// Writes the chunk. Writes nothing if no chunk is possible, or if pages or bytes do not suffice (see the report).
void write_sequence(const SequenceEncode &params, cudaStream_t stream);

// Checks heads and makes tables.
void open_sequence(const SequenceDecode &params, cudaStream_t stream);
void decode_sequence(const SequenceDecode &params, cudaStream_t stream);

// Bytes from the start of the chunk to the axes, to the directory and to the blocks.
GPZ_HD std::uint64_t sequence_axes(const SequenceTables &tables) { return sequence_start + tables.exact * exact_bytes; }
GPZ_HD std::uint64_t sequence_directory(const SequenceTables &tables, int components) {
  return sequence_axes(tables) + core::sequence_head_size(components) +
         core::round_up_to_8(std::uint64_t{tables.words_before[core::sequence_tables(components)]} * 4);
}
GPZ_HD std::uint64_t sequence_payload(const SequenceTables &tables, int components, std::uint64_t blocks) {
  return sequence_directory(tables, components) + blocks * core::sequence_record_size(components);
}
GPZ_HD std::uint32_t sequence_block_particles(std::uint64_t particles, std::uint64_t block) {
  const std::uint64_t left = particles - block * core::sequence_block_size;
  return left < core::sequence_block_size ? static_cast<std::uint32_t>(left) : core::sequence_block_size;
}

// Consecutive blocks of thread block `number` of `of`.
struct BlockShare {
  std::uint64_t first;
  std::uint64_t end;

  GPZ_HD BlockShare(std::uint64_t blocks, std::uint32_t number, std::uint32_t of)
      : first(blocks * number / of), end(blocks * (number + 1) / of) {}
};

// Consecutive particles that a lane codes.
struct SequenceRun {
  std::uint64_t first;  // of the block
  std::uint32_t n;      // of the block
  std::uint32_t rows;
  std::uint32_t from;  // of the lane, in the block
  std::uint32_t mine;

  GPZ_HD SequenceRun(std::uint64_t particles, std::uint64_t block, std::uint32_t lane)
      : first(block * core::sequence_block_size),
        n(sequence_block_particles(particles, block)),
        rows(core::sequence_rows(n)),
        from(lane * rows),
        mine(from >= n ? 0 : core::min_of(rows, n - from)) {}
};

}  // namespace gpz::cuda
