// One block of a difference section on the CPU, compiled once for each instruction set.
#pragma once

#include <cstdint>

#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"
#include "gpz/cpu/residual_block.hpp"

namespace gpz::cpu {

using DifferenceRecord = ResidualRecord;

// History and indices from the first particle of the block on.
struct DifferenceBlock {
  struct Axis {
    const std::int64_t *last;
    const std::int32_t *deviation;
    const std::int32_t *velocity;
    const std::int32_t *previous;
    const std::int64_t *q;  // encode only
    std::int64_t *out;      // decode only
    core::GridAxis grid;
  };

  std::uint32_t n;  // at most default_block_size
  int components;
  std::int64_t reciprocal;
  core::Predictor predictor;
  Axis axes[core::max_components];
};

// Working memory of a block.
struct DifferenceScratch : ResidualScratch {
  alignas(64) std::int32_t feature[4][block_size];
};

struct DifferenceKernels {
  const char *name;
  // Adds the block's values to the sums of a fit.
  void (*fit)(const DifferenceBlock &block, DifferenceScratch &scratch, core::FitSums &sums);
  core::Predictor (*solve)(const core::FitSums &sums);
  // Bits that the residuals take with block.predictor.
  std::uint64_t (*measure)(const DifferenceBlock &block, DifferenceScratch &scratch);
  // Writes the payload to scratch.words; returns its words.
  std::uint32_t (*encode)(const DifferenceBlock &block, DifferenceScratch &scratch, DifferenceRecord &record);
  // `words` has as many words as the record says. False: the block contradicts the format.
  bool (*decode)(const DifferenceBlock &block, const DifferenceRecord &record, const std::uint32_t *words,
                 DifferenceScratch &scratch);
  void (*advance)(const std::int64_t *q, const core::GridAxis &grid, std::size_t n, std::uint64_t frames,
                  std::int64_t *last, std::int32_t *deviation, std::int32_t *velocity, std::int32_t *previous);
};

}  // namespace gpz::cpu
