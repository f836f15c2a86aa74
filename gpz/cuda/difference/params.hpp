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

// An axis for indices below 2^30. An open axis has the interval of all indices, so that nothing is wrapped.
struct DeviceAxis {
  std::int32_t lo;
  std::uint32_t span;
  std::int32_t half;  // largest displacement without crossing an edge; on an open axis, as `usual`
  std::int32_t period;
  std::int32_t usual;  // largest displacement, at most `half`, for which 32 bits suffice for the history
  core::GridAxis grid;
};

struct DifferenceHistory {
  std::int32_t *last[core::max_components];
  std::int32_t *deviation[core::max_components];
  std::int32_t *velocity[core::max_components];
  std::int32_t *previous[core::max_components];  // swapped with `velocity` after the frame
  std::int64_t *keys[core::max_components];  // last indices of a field with 64-bit indices, instead of all arrays above
  std::int8_t *crossings[core::max_components];  // nullptr: not wanted
  DeviceAxis axis[core::max_components];
  std::uint64_t particles;
  std::uint64_t blocks;
  std::int32_t frames;
  std::int32_t reciprocal;
  bool at_rest;  // DeviceDifferenceState::at_rest()
};

struct DifferenceSource {
  const char *data[core::max_components];
  std::int64_t stride[core::max_components];
  const std::uint32_t *rows;
  DeviceWindows windows;
  bool packed;  // components and rows are contiguous
  core::Grid grid;
};

// Results of the fit; must be zero before.
struct DifferenceFit {
  unsigned long long sums[9];
  unsigned long long with;  // bits of the sample with the fit, and without
  unsigned long long without;
  core::Predictor fitted;
};

// Sums and maxima over all blocks; must be zero before.
struct DifferenceTotals {
  unsigned long long staged;   // words
  unsigned long long invalid;  // values
  unsigned long long error;    // largest error, as the bits of a double
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

// Parameters of encoding that all sections have.
template <typename Totals, typename Layout, typename Record>
struct SectionEncode {
  DifferenceSource source;
  Totals *totals;
  Record *records;
  std::uint32_t *words;         // per block; 0 after the last
  std::uint64_t *staged;        // offset of each block's payload in staging
  std::uint64_t *word_offsets;  // offset of each block's payload in the section
  std::uint32_t *staging;
  std::uint64_t staging_words;
  Layout *layout;
  std::uint32_t *out;
  std::uint64_t capacity;  // bytes
  DifferenceResult *result;
};

struct DifferenceEncode : SectionEncode<DifferenceTotals, DifferenceLayout, core::ResidualRecord> {
  DifferenceHistory history;
  InvalidValues invalid;
  DifferenceFit *fit;
  const std::uint32_t *cancelled;  // null, or not 0: do nothing
  DeviceComparison comparison[max_comparisons];
};

// Parameters of decoding that all sections have.
template <typename Layout, typename Record>
struct SectionDecode {
  DecodeField field;
  const std::uint32_t *section;
  std::uint64_t size;  // bytes
  Layout *layout;
  Record *records;
  std::uint32_t *words;  // per block; 0 after the last
  std::uint64_t *word_offsets;
  std::uint32_t *status;
};

struct DifferenceDecode : SectionDecode<DifferenceLayout, core::ResidualRecord> {
  DifferenceHistory history;
  bool plain;
  std::uint8_t prediction;  // required first byte of the section
};

}  // namespace gpz::cuda
