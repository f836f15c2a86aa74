// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the kernels of ordered sections, as plain data.
#pragma once

#include "gpz/core/ordered_section.hpp"
#include "gpz/cuda/block/decode_params.hpp"
#include "gpz/cuda/difference/params.hpp"
#include "gpz/cuda/ordered/ordered.hpp"

namespace gpz::cuda {

// Offsets of the parts of a section, in words from its start, and its head. All numbers are checked.
struct OrderedLayout {
  std::uint8_t width[core::max_ordered_items];
  std::uint32_t record_bits;
  core::OrderedPredictor predictor;
  std::int64_t base[core::max_components];
  core::GridAxis axis[core::max_components];
  std::uint64_t rows;    // particles, or runs
  std::uint64_t blocks;  // of rows
  std::uint64_t directory;
  std::uint64_t payload;
  std::uint64_t end;
  bool runs;
};

// Rows of block b.
GPZ_HD std::uint32_t rows_of(const OrderedLayout &layout, std::uint64_t b) {
  const std::uint64_t left = layout.rows - b * core::default_block_size;
  return left < core::default_block_size ? static_cast<std::uint32_t>(left) : core::default_block_size;
}

// Columns of runs.
struct RunColumns {
  std::int64_t *gap;   // later the first value
  std::int64_t *more;  // later the first particle
  // Sums over 1,024 runs each, of particles and of the growth of the value; later prefix sums.
  std::uint64_t *particles;
  std::uint64_t *growth;
};

struct OrderedDecode : SectionDecode<OrderedLayout, core::OrderedRecord> {
  core::GridAxis axis[core::max_components];
  const std::int64_t *ids;
  std::uint64_t particles;
  std::uint64_t blocks;   // of the particles; a section has at most as many
  std::uint32_t *others;  // blocks that decode.cu leaves to decode_other.cu
  std::uint32_t *other_count;
  RunColumns runs;  // only for one component
};

// Sums over all blocks of an encoder; must be zero before.
struct OrderedTotals {
  unsigned long long staged;   // words
  unsigned long long invalid;  // values
  unsigned long long error;    // largest error, as the bits of a double
  std::uint32_t wide;
  std::uint32_t items[core::max_residual_items];  // bitwise or over all records
  // First positions are between -2^31 and 2^31: 2^31 less the smallest one, and 2^31 more than the largest one.
  std::uint32_t least[core::max_components];
  std::uint32_t most[core::max_components];
};

struct OrderedEncode : SectionEncode<OrderedTotals, OrderedLayout, core::OrderedRecord> {
  core::GridAxis axis[core::max_components];
  const std::int64_t *ids;
  std::uint64_t particles;
  std::uint64_t blocks;
  core::OrderedPredictor predictor;
};

// Parameters to decode the runs, which are a section of two components.
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
