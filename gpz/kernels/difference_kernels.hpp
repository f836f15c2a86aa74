// SPDX-License-Identifier: BSD-3-Clause
// Kernels for one block of a difference section, compiled once for each instruction set (gpz/kernels/kernels.hpp).
#pragma once

#include <cstdint>

#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"
#include "gpz/kernels/neighbours.hpp"
#include "gpz/kernels/residual_block.hpp"

namespace gpz::codec {

// History and indices; all pointers start at the first particle of the block.
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
  const std::int32_t *weight[max_neighbour_lags];  // per slot in the block; nullptr: no neighbour prediction
  Axis axes[core::max_components];
};

// Working memory of a block.
struct DifferenceScratch : ResidualScratch {
  alignas(64) std::int32_t feature[4][block_size];
  alignas(64) std::uint32_t value[core::max_components][block_size];    // numbers of residuals
  alignas(64) std::int32_t expected[core::max_components][block_size];  // core::expect() plus the neighbour prediction
  // `remainder`: residual of the temporal prediction. `near`: clamped remainders from index near_at on, with zeros
  // around them for lags and fits. `known`: the remainder is known from an exception (decode) or left out of its triple
  // (encode).
  static constexpr std::uint32_t near_at = 16;
  alignas(64) std::int64_t remainder[block_size];  // later: positions in the box
  alignas(64) std::int32_t near[core::max_components][near_at + block_size + NeighbourSums::period];
  std::uint8_t known[core::max_components][block_size];
};

struct DifferenceKernels {
  // Computes grid indices of n values and raises `largest_error` to the largest error. Returns how many values the grid
  // cannot represent; their indices are meaningless.
  std::uint32_t (*quantize_floats)(const float *x, std::uint32_t n, const core::Grid &grid, std::int64_t *q,
                                   double &largest_error);
  std::uint32_t (*quantize_doubles)(const double *x, std::uint32_t n, const core::Grid &grid, std::int64_t *q,
                                    double &largest_error);
  // Adds the block's values to the sums of a fit.
  void (*fit)(const DifferenceBlock &block, DifferenceScratch &scratch, core::FitSums &sums);
  core::Predictor (*solve)(const core::FitSums &sums);
  // Adds the block's remainders, after block.predictor, to the sums of the neighbour fit. The block's first slot has
  // level `phase`.
  void (*sum_neighbours)(const DifferenceBlock &block, std::uint32_t phase, DifferenceScratch &scratch,
                         NeighbourSums &sums);
  // Bits of the residuals with block.predictor and block.weight.
  std::uint64_t (*measure)(const DifferenceBlock &block, DifferenceScratch &scratch);
  // Writes the payload to scratch.words. Returns the number of words.
  std::uint32_t (*encode)(const DifferenceBlock &block, DifferenceScratch &scratch, ResidualRecord &record);
  // `words` has the length that the record implies. Returns false if the block contradicts the format.
  bool (*decode)(const DifferenceBlock &block, const ResidualRecord &record, const std::uint32_t *words,
                 DifferenceScratch &scratch);
  void (*advance)(const std::int64_t *q, const core::GridAxis &grid, std::size_t n, std::uint64_t frames,
                  std::int64_t *last, std::int32_t *deviation, std::int32_t *velocity, std::int32_t *previous);
};

namespace GPZ_ISA {
extern const DifferenceKernels difference_kernels;
}

}  // namespace gpz::codec
