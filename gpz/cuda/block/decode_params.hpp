// SPDX-License-Identifier: BSD-3-Clause
// What the host tells the decoding kernels; plain data.
#pragma once

#include "gpz/core/types.hpp"
#include "gpz/cuda/block/encode_params.hpp"

namespace gpz::cuda {

struct DecodeField {
  core::Value value;
  int components;
  double step;
  bool leading;
  // Device memory, element i at data + i * stride; data nullptr: not wanted. Floats go out as float32 or float64.
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
  std::uint64_t size;  // bytes
  std::uint64_t particles;
  std::uint64_t blocks;
  std::uint64_t first_block;  // those to be decoded; outputs begin with the first of them
  std::uint64_t end_block;
  std::uint32_t block_size;
  DecodeSection *sections;
  core::BlockRecord *records;   // [field * blocks + block]
  std::uint64_t *word_offsets;  // [field * blocks + block], of payloads; one more element: the end of the last one
  std::uint64_t *other_slots;   // [field * blocks + block] that decode_full.cu leaves to decode_other.cu
  std::uint32_t *other_count;
  std::uint32_t *damaged;  // chunk_damaged or chunk_unsupported: nothing is decoded
};

}  // namespace gpz::cuda
