// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the decoding kernels, as plain data.
#pragma once

#include "gpz/core/types.hpp"
#include "gpz/cuda/block/encode_params.hpp"

namespace gpz::cuda {

struct DecodeField {
  core::Value value;
  int components;
  double step;
  bool leading;
  // For ArrayType::index. *wide (device memory) becomes 1 if an index does not fit.
  double inverse_step;
  double bound;
  std::uint32_t *wide;
  // Device memory: element i is at data + i * stride bytes. Null: not wanted. Floats are written as float32 or float64.
  char *data[core::max_components];
  std::int64_t stride[core::max_components];
  ArrayType type[core::max_components];
};

struct DecodeSection {
  core::DirectoryShape shape;
  std::uint64_t directory;  // bytes from the start of the chunk
  std::uint64_t payload;
  std::uint64_t payload_words;
};

struct DecodeParams {
  DecodeField field[max_fields];
  int fields;
  const std::uint32_t *chunk;
  std::uint64_t size;  // in bytes
  std::uint64_t particles;
  std::uint64_t blocks;
  std::uint64_t first_block;  // blocks to decode; outputs begin with the first of these
  std::uint64_t end_block;
  std::uint32_t block_size;
  DecodeSection *sections;
  core::BlockRecord *records;   // [field * blocks + block]
  std::uint64_t *word_offsets;  // [field * blocks + block], offsets of payloads; one more element for the end
  std::uint64_t *other_slots;   // [field * blocks + block], left by decode_full.cu to decode_other.cu
  std::uint32_t *other_count;
  std::uint32_t *damaged;  // chunk_damaged or chunk_unsupported: nothing is decoded
};

}  // namespace gpz::cuda
