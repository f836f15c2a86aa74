// SPDX-License-Identifier: BSD-3-Clause
// What the host tells the kernels of sequence chunks; plain data, and where the parts of such a chunk with one field
// are.
#pragma once

#include <cuda_runtime.h>

#include "gpz/core/directory.hpp"
#include "gpz/core/sequence.hpp"
#include "gpz/cuda/block/decode_params.hpp"

namespace gpz::cuda {

inline constexpr std::uint32_t max_sequence_tables = core::max_components * core::sequence_contexts;

// Of a symbol: where its slots begin (0 to 4,095), and above bit 12 how many it has (0 to 4,096).
using PackedShare = std::uint32_t;
inline constexpr int packed_start_bits = 12;

// Bytes of a chunk with one field: its head, the coding and the number of exact values.
inline constexpr std::uint64_t sequence_start = 16 + 8 + 8;

struct SequenceTables {
  core::SequenceAxis axis[core::max_components];
  core::SequenceTable table[max_sequence_tables];
  std::uint32_t words_before[max_sequence_tables + 1];  // of the strings of frequencies
};

// What kernels find out; zero before.
struct SequenceReport {
  std::uint64_t bytes;
  std::uint64_t error_bits;  // the largest error, as the bits of a double
  std::uint32_t failed;      // encoding: there is no such chunk. Decoding: chunk_damaged or chunk_unsupported
};

struct SequenceEncode {
  FieldParams field;
  std::uint64_t particles;
  std::uint64_t blocks;
  std::uint32_t *steps;   // [component][magnitude]
  std::uint32_t *counts;  // [table][symbol]
  PackedShare *shares;    // [table][symbol]
  SequenceTables *tables;
  std::uint32_t *staged;   // of each block core::sequence_room words
  std::uint16_t *streams;  // of each block core::stream_room words of 16 bits, filled from its end on
  core::SequenceRecord *records;
  std::uint32_t *words;         // of each block, and 0 behind the last
  std::uint64_t *word_offsets;  // sums of them
  std::uint8_t *out;
  SequenceReport *report;
};

struct SequenceDecode {
  DecodeField field;
  const std::uint32_t *chunk;
  std::uint64_t size;  // bytes
  std::uint64_t particles;
  std::uint64_t blocks;
  SequenceTables *tables;
  PackedShare *shares;     // [table][symbol]
  std::uint16_t *symbols;  // [table][slot]
  std::int32_t *steps;     // [component][block][particle]
  std::uint32_t *words;    // of each block, and 0 behind the last
  std::uint64_t *word_offsets;
  SequenceReport *report;
};

void encode_sequence(const SequenceEncode &params, void *scan, std::size_t scan_bytes, cudaStream_t stream);
void decode_sequence(const SequenceDecode &params, void *scan, std::size_t scan_bytes, cudaStream_t stream);

// Bytes from the start of the chunk to the directory.
GPZ_HD std::uint64_t sequence_directory(const SequenceTables &tables, int components) {
  return sequence_start + core::sequence_head_size(components) +
         core::round_up_to_8(std::uint64_t{tables.words_before[core::sequence_tables(components)]} * 4);
}
GPZ_HD std::uint64_t sequence_payload(const SequenceTables &tables, int components, std::uint64_t blocks) {
  return sequence_directory(tables, components) + blocks * core::sequence_record_size(components);
}
GPZ_HD std::uint32_t sequence_block_particles(std::uint64_t particles, std::uint64_t block) {
  const std::uint64_t left = particles - block * core::sequence_block_size;
  return left < core::sequence_block_size ? static_cast<std::uint32_t>(left) : core::sequence_block_size;
}

}  // namespace gpz::cuda
