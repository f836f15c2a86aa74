// SPDX-License-Identifier: BSD-3-Clause
// What the host tells the kernels of difference sections; plain data.
#pragma once

#include "gpz/core/difference_section.hpp"
#include "gpz/core/neighbours.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"
#include "gpz/cuda/block/decode_params.hpp"
#include "gpz/cuda/difference/difference.hpp"

namespace gpz::cuda {

// An axis for indices of less than 2^30. One that is open never wraps anything: its interval is all there is.
struct DeviceAxis {
  std::int32_t lo;
  std::uint32_t span;
  std::int32_t half;  // the most a particle moves before it came through the edge; of an open axis, what is usual
  std::int32_t period;
  std::int32_t usual;  // the most a particle usually moves: no more than half, and 32 bits do for its history
  core::GridAxis grid;
};

struct DifferenceHistory {
  std::int32_t *last[core::max_components];
  std::int32_t *deviation[core::max_components];
  std::int32_t *velocity[core::max_components];
  std::int32_t *previous[core::max_components];  // becomes the velocity, as the velocity becomes this
  std::int64_t *keys[core::max_components];      // the last indices of a field of 64 bits, instead of all of these
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
  bool packed;  // the components of a row follow each other, and rows do
  core::Grid grid;
};

// The prediction, as it comes about; all of it is zero before.
struct DifferenceFit {
  unsigned long long sums[9];
  unsigned long long with;  // bits that a sample takes with the fit, and without
  unsigned long long without;
  core::Predictor fitted;
};

// What the blocks of an encoder have in common; zero before.
struct DifferenceTotals {
  unsigned long long staged;   // words
  unsigned long long invalid;  // values
  unsigned long long error;    // the bits of the largest, a double
  std::uint32_t wide;
  std::uint32_t items[core::max_residual_items];  // of all records, joined by or
};

// Where the parts of a section are, words from its start.
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
  std::uint32_t *words;         // of each block, and one more
  std::uint64_t *staged;        // where the payload of each block is in staging
  std::uint64_t *word_offsets;  // where it goes
  std::uint32_t *staging;
  std::uint64_t staging_words;
  DifferenceLayout *layout;
  std::uint32_t *out;
  std::uint64_t capacity;  // bytes
  DifferenceResult *result;
  const std::uint32_t *cancelled;  // not nullptr and not 0: nothing is to be done
  DeviceComparison comparison[max_comparisons];
};

// What decoding tells its kernels, of all sections.
template <typename Layout, typename Record>
struct SectionDecode {
  DecodeField field;
  const std::uint32_t *section;
  std::uint64_t size;  // bytes
  Layout *layout;
  Record *records;
  std::uint32_t *words;  // of each block, and one more
  std::uint64_t *word_offsets;
  std::uint32_t *status;
};

struct DifferenceDecode : SectionDecode<DifferenceLayout, core::ResidualRecord> {
  DifferenceHistory history;
  bool plain;
  std::uint8_t prediction;  // what the section starts with
};

}  // namespace gpz::cuda
