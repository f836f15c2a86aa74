// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the kernels of ordered sections, as plain data.
#pragma once

#include "gpz/core/ordered_section.hpp"
#include "gpz/cuda/block/decode_params.hpp"
#include "gpz/cuda/difference/params.hpp"
#include "gpz/cuda/ordered/ordered.hpp"

namespace gpz::cuda {

// Layout of a section as stored, after checks. Offsets are in words from its start.
struct OrderedLayout {
  std::uint8_t width[core::max_ordered_items];
  std::uint32_t record_bits;
  core::OrderedPredictor predictor;
  std::int64_t base[core::max_components];
  core::GridAxis axis[core::max_components];
  std::uint64_t rows;    // particles, or runs
  std::uint64_t blocks;  // of these rows
  std::uint64_t directory;
  std::uint64_t payload;
  std::uint64_t end;
  bool runs;
};

// Number of rows of block b.
GPZ_HD std::uint32_t rows_of(const OrderedLayout &layout, std::uint64_t b) {
  const std::uint64_t left = layout.rows - b * core::default_block_size;
  return left < core::default_block_size ? static_cast<std::uint32_t>(left) : core::default_block_size;
}

// Decoded runs; later the first particle and the first value of each run.
struct RunColumns {
  std::int64_t *gap;   // later the first value
  std::int64_t *more;  // later the first particle
  // For 1,024 runs each: number of particles and growth of the value; later the sums over all runs before.
  std::uint64_t *particles;
  std::uint64_t *growth;
};

struct OrderedDecode {
  DecodeField field;
  core::GridAxis axis[core::max_components];
  const std::int64_t *ids;
  std::uint64_t particles;
  std::uint64_t blocks;  // of the particles; no section has more
  const std::uint32_t *section;
  std::uint64_t size;  // in bytes
  OrderedLayout *layout;
  core::OrderedRecord *records;
  std::uint32_t *words;
  std::uint64_t *word_offsets;
  std::uint32_t *others;  // blocks left by decode.cu to decode_other.cu
  std::uint32_t *other_count;
  std::uint32_t *status;
  RunColumns runs;  // only for one component
};

// What the blocks of an encoder have in common; zero before.
struct OrderedTotals {
  unsigned long long staged;   // words
  unsigned long long invalid;  // values
  unsigned long long error;    // the bits of the largest, a double
  std::uint32_t wide;
  std::uint32_t items[core::max_residual_items];  // of all records, joined by or
  // First places are between -2^31 and 2^31: 2^31 less the least one, and 2^31 more than the largest one.
  std::uint32_t least[core::max_components];
  std::uint32_t most[core::max_components];
};

struct OrderedEncode {
  DifferenceSource source;
  core::GridAxis axis[core::max_components];
  const std::int64_t *ids;
  std::uint64_t particles;
  std::uint64_t blocks;
  core::OrderedPredictor predictor;
  OrderedTotals *totals;
  core::OrderedRecord *records;
  std::uint32_t *words;         // of each block, and one more
  std::uint64_t *staged;        // where the payload of each block is in staging
  std::uint64_t *word_offsets;  // where it goes
  std::uint32_t *staging;
  std::uint64_t staging_words;
  OrderedLayout *layout;
  std::uint32_t *out;
  std::uint64_t capacity;  // bytes
  DifferenceResult *result;
};

// The decoding of the runs of such a section: of a section of two components.
inline OrderedDecode as_runs(const OrderedDecode &params) {
  OrderedDecode runs = params;
  runs.field = {};
  runs.field.value = core::Value::integer;
  runs.field.components = core::run_components;
  std::int64_t *const columns[] = {params.runs.gap, params.runs.more};
  for (int d = 0; d < core::run_components; ++d) {
    runs.field.data[d] = reinterpret_cast<char *>(columns[d]);
    runs.field.stride[d] = sizeof(std::int64_t);
    runs.field.type[d] = ArrayType::int64;
  }
  runs.ids = nullptr;
  return runs;
}

}  // namespace gpz::cuda
