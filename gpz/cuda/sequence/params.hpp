// SPDX-License-Identifier: BSD-3-Clause
// What the host tells the kernels of sequence chunks; plain data, and where the parts of such a chunk with one field
// are.
#pragma once

#include <cuda_runtime.h>

#include "gpz/core/directory.hpp"
#include "gpz/core/sequence.hpp"
#include "gpz/cuda/block/decode_params.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/section_head.hpp"

namespace gpz::cuda {

inline constexpr std::uint32_t max_sequence_tables = core::max_components * core::sequence_contexts;

// Of a symbol: where its slots begin (0 to 4,095), and above bit 12 how many it has (0 to 4,096).
using PackedShare = std::uint32_t;
inline constexpr int packed_start_bits = 12;

// Streams are collected in pages, because their lengths are not known before.
inline constexpr std::uint32_t page_words = 256;  // of 16 bits

// Bytes of a chunk with one field up to its exact values: its head, the coding and their number.
inline constexpr std::uint64_t sequence_head = format::chunk_head_size(ChunkKind::sequence, 1);
inline constexpr std::uint64_t sequence_start = sequence_head + format::field_coding_size + sizeof(std::uint64_t);
inline constexpr std::uint64_t exact_bytes = format::exact_value_size;

struct SequenceTables {
  core::SequenceAxis axis[core::max_components];
  core::SequenceTable table[max_sequence_tables];
  std::uint32_t words_before[max_sequence_tables + 1];  // of the strings of frequencies
  std::uint64_t exact;                                  // number of exact values
};

// What kernels find out; zero before.
struct SequenceReport {
  std::uint64_t bytes;
  std::uint64_t error_bits;   // the largest error, as the bits of a double
  std::uint64_t exact;        // number of exact values
  std::uint64_t stream_bits;  // about how long all streams will be
  std::uint64_t escapes;
  std::uint32_t low_bits;  // of a particle
  std::uint32_t pages;     // that the streams take
  std::uint32_t failed;    // encoding: there is no such chunk. Decoding: chunk_damaged or chunk_unsupported
};

struct SequenceEncode {
  FieldParams field;
  bool packed;  // arrays without gaps, in which four values are read at once
  bool plain;   // packed, and the grid holds all values; known after count_sequence
  unsigned processors;
  std::uint64_t particles;
  std::uint64_t blocks;
  std::uint32_t *steps;   // [component][magnitude]
  std::uint32_t *counts;  // [table][symbol]
  PackedShare *shares;    // [table][symbol]
  SequenceTables *tables;
  std::uint32_t *exact_counts;    // [component][block], and 0 behind the last
  std::uint64_t *exact_offsets;   // sums of them
  std::uint16_t *pages;           // what streams are collected in
  std::uint32_t pages_there;      // and one more, for what has no room
  std::uint32_t *page_lists;      // [block][page of the longest stream]: which pages it has, from the last one on
  std::uint32_t *states;          // [block][lane]
  std::uint16_t *lane_escapes;    // [block][lane]
  core::SequenceRecord *records;  // [block]
  std::uint32_t *words;           // of each block, and 0 behind the last
  std::uint64_t *word_offsets;    // sums of them
  std::uint8_t *out;
  std::uint64_t out_size;  // bytes there
  void *scan;              // workspace of sums
  std::size_t scan_bytes;
  SequenceReport *report;
};

// Symbols of a table that have slots, one after the other: where they begin, the symbol, its class. One more entry is
// the end. Entry 0 of a table that does not occur has this bit:
inline constexpr std::uint32_t no_table = 1u << 31;
inline constexpr int entry_symbol_bit = 13;
inline constexpr int entry_class_bit = 23;
inline constexpr std::uint32_t entry_stride = core::sequence_symbols + 4;  // tables lie at multiples of 16 bytes
// For each 8 slots of a table the entry of the first one.
inline constexpr std::uint32_t quick_slots = 8;
inline constexpr std::uint32_t quick_stride = core::ans_total / quick_slots;

// Where the steps of a component are until they are summed up: in the array that its values go to, or in memory of
// their own if nobody wants them.
struct StepArray {
  char *data;
  std::int64_t block_bytes;  // from block to block
  std::int64_t stride;
  bool side_by_side;  // four of them are written at once
  bool halfway;       // begins in the middle of the 32 bytes that memory is written by
};

struct SequenceDecode {
  DecodeField field;
  StepArray steps[core::max_components];
  unsigned processors;
  const std::uint32_t *chunk;
  std::uint64_t size;  // bytes
  std::uint64_t particles;
  std::uint64_t blocks;
  SequenceTables *tables;
  std::uint32_t *entries;         // [table][entry_stride]
  std::uint16_t *quick;           // [table][quick_stride], entries are numbered over all tables
  std::uint32_t *used;            // [table], entries but the end
  core::SequenceRecord *records;  // [block]
  std::uint32_t *words;           // of each block, and 0 behind the last
  std::uint64_t *word_offsets;
  void *scan;  // workspace of sums
  std::size_t scan_bytes;
  SequenceReport *report;
};

inline constexpr std::uint32_t tile_rows = 4;  // of a lane, at once: lanes lie far apart in memory

// What is coded of a value: 1,024 times the table of its context, and its symbol.
using CodedValue = std::uint16_t;
inline constexpr std::uint32_t coded_rows = 16;  // at once, of each lane
inline constexpr std::uint32_t stream_warps = 32;

// Shared memory of a thread block: counters of symbols; shares of symbols, and what each warp is about to code; tables.
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

// Whether an array has no gaps and its elements can be read or written four at a time.
inline bool is_packed(const void *data, std::ptrdiff_t stride, std::size_t size) {
  return stride == static_cast<std::ptrdiff_t>(size) && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

// Whether what kernels found out is a chunk, and has room.
GPZ_HD bool is_complete(const SequenceEncode &params, const SequenceReport &report) {
  return report.failed == 0 && report.pages <= params.pages_there && report.bytes <= params.out_size;
}

// Up to what has to be known for memory: symbols, tables, exact values.
void count_sequence(const SequenceEncode &params, cudaStream_t stream);
// The streams, and with them the length of the chunk.
void encode_streams(const SequenceEncode &params, cudaStream_t stream);
// Writes nothing if there is no such chunk, or the pages or the bytes that are there do not suffice; the report says
// it.
void write_sequence(const SequenceEncode &params, cudaStream_t stream);

// Checks heads, makes tables.
void open_sequence(const SequenceDecode &params, cudaStream_t stream);
void decode_sequence(const SequenceDecode &params, cudaStream_t stream);

// Bytes from the start of the chunk to the axes, to the directory, and to the blocks.
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

// The blocks of a thread block of `of`: they follow each other.
struct BlockShare {
  std::uint64_t first;
  std::uint64_t end;

  GPZ_HD BlockShare(std::uint64_t blocks, std::uint32_t number, std::uint32_t of)
      : first(blocks * number / of), end(blocks * (number + 1) / of) {}
};

// The particles that a lane codes, which follow each other.
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
