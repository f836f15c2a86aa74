// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the kernels of difference sections, as plain data.
#pragma once

#include "gpz/core/difference_section.hpp"
#include "gpz/core/neighbours.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"
#include "gpz/cuda/block/decode_params.hpp"
#include "gpz/cuda/difference/difference.hpp"

namespace gpz::cuda {

// An axis for indices below 2^30 in magnitude. An open axis never wraps: its interval contains all indices.
struct DeviceAxis {
  std::int32_t lo;
  std::uint32_t span;
  std::int32_t half;  // largest displacement without crossing an edge; 2^30 on an open axis
  std::int32_t period;
  std::int32_t usual;  // largest usual displacement: at most half, and with a history of 32 bits
  core::GridAxis grid;
};

struct DifferenceHistory {
  std::int32_t *last[core::max_components];
  std::int32_t *deviation[core::max_components];
  const std::int32_t *velocity[core::max_components];
  std::int32_t *previous[core::max_components];  // becomes the velocity, and the velocity becomes this
  std::int64_t *keys[core::max_components];      // last indices of a 64-bit field, in place of the arrays above
  std::int8_t *crossings[core::max_components];  // null: not wanted
  DeviceAxis axis[core::max_components];
  std::uint64_t particles;
  std::uint64_t blocks;
  std::int32_t frames;
  std::int32_t reciprocal;
};

struct DifferenceSource {
  const char *data[core::max_components];
  std::int64_t stride[core::max_components];
  const std::uint32_t *rows;
  DeviceWindows windows;
  bool packed;  // components of a row are adjacent, and so are rows
  core::Grid grid;
};

// State of the fit of the prediction. Must be zero at the start.
struct DifferenceFit {
  unsigned long long sums[9];
  unsigned long long with;  // bits of a sample with the fit, and without
  unsigned long long without;
  core::Predictor fitted;
};

// Totals over the blocks of an encoder. Must be zero at the start.
struct DifferenceTotals {
  unsigned long long staged;   // words in staging
  unsigned long long invalid;  // values that the grid cannot hold
  unsigned long long error;    // bits of the largest error, a double
  std::uint32_t wide;
  std::uint32_t items[core::max_residual_items];  // bitwise or over all records
};

// Offsets of the parts of a section, in words from its start.
struct DifferenceLayout {
  std::uint8_t width[core::max_residual_items];
  std::uint32_t record_bits;
  core::Predictor predictor;
  core::Neighbours neighbours;
  std::uint64_t directory;
  std::uint64_t payload;
  std::uint64_t end;
};

struct DifferenceEncode {
  DifferenceHistory history;
  DifferenceSource source;
  InvalidValues invalid;
  DifferenceFit *fit;
  DifferenceTotals *totals;
  core::ResidualRecord *records;
  std::uint32_t *words;         // per block, and one more
  std::uint64_t *staged;        // offset of each block's payload in staging
  std::uint64_t *word_offsets;  // its offset in the section's payload
  std::uint32_t *staging;
  std::uint64_t staging_words;
  DifferenceLayout *layout;
  std::uint32_t *out;
  std::uint64_t capacity;  // in bytes
  DifferenceResult *result;
  const std::uint32_t *cancelled;  // null, or not 0 if all work is to be skipped
  DeviceComparison comparison[max_comparisons];
};

struct DifferenceDecode {
  DifferenceHistory history;
  DecodeField field;
  const std::uint32_t *section;
  std::uint64_t size;  // in bytes
  DifferenceLayout *layout;
  core::ResidualRecord *records;
  std::uint32_t *words;
  std::uint64_t *word_offsets;
  std::uint32_t *status;
  bool plain;
  std::uint8_t prediction;  // first byte of the section
};

}  // namespace gpz::cuda
