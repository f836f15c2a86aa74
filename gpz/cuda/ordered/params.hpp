// SPDX-License-Identifier: BSD-3-Clause
// What the host tells the kernels of sections in the order of ids; plain data.
#pragma once

#include "gpz/core/ordered_section.hpp"
#include "gpz/cuda/block/decode_params.hpp"
#include "gpz/cuda/difference/params.hpp"
#include "gpz/cuda/ordered/ordered.hpp"

namespace gpz::cuda {

// Where the parts of a section are, words from its start. All of it is what the section says, checked.
struct OrderedLayout {
  std::uint8_t width[core::max_ordered_items];
  std::uint32_t record_bits;
  core::OrderedPredictor predictor;
  std::int64_t base[core::max_components];
  core::GridAxis axis[core::max_components];
  std::uint64_t rows;    // particles, or runs
  std::uint64_t blocks;  // of them
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

// Of runs: what they are decoded to, then the first particle of each, and its value.
struct RunColumns {
  std::int64_t *gap;   // becomes the first value
  std::int64_t *more;  // becomes the first particle
  // Of 1,024 runs each: particles, and by how much the value grows; then those of all before.
  std::uint64_t *particles;
  std::uint64_t *growth;
};

struct OrderedDecode : SectionDecode<OrderedLayout, core::OrderedRecord> {
  core::GridAxis axis[core::max_components];
  const std::int64_t *ids;
  std::uint64_t particles;
  std::uint64_t blocks;   // of the particles; a section has no more
  std::uint32_t *others;  // blocks that decode.cu leaves to decode_other.cu
  std::uint32_t *other_count;
  RunColumns runs;  // of one component
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
