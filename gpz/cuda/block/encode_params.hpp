// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the encoding kernels, as plain data.
#pragma once

#include <cstdint>

#include "gpz/core/types.hpp"
#include "gpz/cuda.hpp"

namespace gpz::cuda {

enum class ArrayType : std::uint8_t {
  int32,
  int64,
  float32,
  float64,
  // Outputs only, for a history: the kept_index of a value as int32, its key (core::key_of; integers as they are) as
  // int64.
  index,
  key
};

// One component in device memory: element i is at data + i * stride bytes.
struct Array {
  const char *data;
  std::int64_t stride;
  ArrayType type;
};

struct FieldParams {
  core::Value value;
  int components;
  core::Grid grid;
  Array array[core::max_components];
  std::uint64_t staging;  // offset of its blocks in staging, in words (staged_payload)
};

// Data of a coded block, kept until the lengths of all blocks are known.
struct StagedBlock {
  core::BlockRecord record;
  std::uint32_t words;
  std::uint64_t error_bits;  // largest error, as the bits of a double: these have the order of non-negative doubles
};

// Statistics over all records of a section: maxima that determine its directory. Smallest keys are inverted, so that
// their statistic is a maximum, too.
enum Statistic : std::uint32_t {
  of_largest_min = 0,
  of_smallest_min = 3,
  of_extent = 6,
  of_shift = 9,
  of_mode = 12,
  of_runs,
  of_gap_width,
  of_count_width,
  of_exceptions,
  of_error,
  statistics
};
struct SectionStats {
  std::uint64_t largest[statistics];
};

// Number of blocks whose lengths are added up at once, so that few sums have to be scanned.
inline constexpr std::uint32_t group_blocks = 64;

struct EncodeParams {
  FieldParams field[max_fields];
  int fields;
  int followers_from;  // 1 if field 0 is a leading field on a grid, else 0
  const int *rows;     // null: particle i is row i
  std::uint64_t particles;
  std::uint64_t blocks;
  std::uint32_t *staging;
  StagedBlock *staged;          // [field * blocks + block]
  std::uint32_t *words;         // [field * blocks + block]
  std::uint32_t *group_words;   // [field * groups + block / group_blocks], sums of words
  std::uint64_t groups;         // per field
  SectionStats *stats;          // [field]
  std::uint32_t *reach;         // largest magnitude so far of a grid index in blocks of floats of the leading field
  std::uint16_t *order;         // order[b * block_size + j]: input index, in block b, of its stored particle j
  std::uint32_t *other_blocks;  // blocks left by encode_full.cu to encode_leading.cu
  std::uint32_t *other_count;
  std::uint64_t *other_followers;  // [field * blocks + block], left by encode_follower_full.cu to encode_followers.cu
  std::uint32_t *other_follower_count;
};

}  // namespace gpz::cuda
