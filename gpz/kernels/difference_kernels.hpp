// SPDX-License-Identifier: BSD-3-Clause
// One block of a difference section on the CPU, compiled once for each instruction set (gpz/kernels/kernels.hpp).
#pragma once

#include <cstdint>

#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"
#include "gpz/kernels/neighbours.hpp"
#include "gpz/kernels/residual_block.hpp"

namespace gpz::cpu {

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
  std::int32_t reciprocal;
  core::Predictor predictor;
  const std::int32_t *weight[max_neighbour_lags];  // for each place in the block; nullptr: neighbours do not count
  Axis axes[core::max_components];
};

// Working memory of a block.
struct DifferenceScratch : ResidualScratch {
  alignas(64) std::int32_t feature[4][block_size];
  alignas(64) std::uint32_t value[core::max_components][block_size];    // numbers of residuals
  alignas(64) std::int32_t expected[core::max_components][block_size];  // core::expect, with what neighbours say
  // What the temporal prediction leaves; limited, from place near_at on, with what a fit wants around it; and where it
  // is known beforehand (decode), or no part of a triple (encode).
  static constexpr std::uint32_t near_at = 16;
  alignas(64) std::int64_t remainder[block_size];  // later: places in the box
  alignas(64) std::int32_t near[core::max_components][near_at + block_size + NeighbourSums::period];
  std::uint8_t known[core::max_components][block_size];
};

struct DifferenceKernels {
  // Grid indices of n values; `largest_error` grows to the largest of them. Returns how many values the grid cannot
  // hold: their indices mean nothing.
  std::uint32_t (*quantize_floats)(const float *x, std::uint32_t n, const core::Grid &grid, std::int64_t *q,
                                   double &largest_error);
  std::uint32_t (*quantize_doubles)(const double *x, std::uint32_t n, const core::Grid &grid, std::int64_t *q,
                                    double &largest_error);
  // Adds the block's values to the sums of a fit.
  void (*fit)(const DifferenceBlock &block, DifferenceScratch &scratch, core::FitSums &sums);
  core::Predictor (*solve)(const core::FitSums &sums);
  // Adds the block's remainders, after block.predictor, to the sums of the fit of neighbours; the first slot of the
  // block has level `phase`.
  void (*sum_neighbours)(const DifferenceBlock &block, std::uint32_t phase, DifferenceScratch &scratch,
                         NeighbourSums &sums);
  // Bits that the residuals take with block.predictor and block.weight.
  std::uint64_t (*measure)(const DifferenceBlock &block, DifferenceScratch &scratch);
  // Writes the payload to scratch.words; returns its words.
  std::uint32_t (*encode)(const DifferenceBlock &block, DifferenceScratch &scratch, ResidualRecord &record);
  // `words` has as many words as the record says. False: the block contradicts the format.
  bool (*decode)(const DifferenceBlock &block, const ResidualRecord &record, const std::uint32_t *words,
                 DifferenceScratch &scratch);
  void (*advance)(const std::int64_t *q, const core::GridAxis &grid, std::size_t n, std::uint64_t frames,
                  std::int64_t *last, std::int32_t *deviation, std::int32_t *velocity, std::int32_t *previous);
};

namespace GPZ_ISA {
extern const DifferenceKernels difference_kernels;
}

}  // namespace gpz::cpu
