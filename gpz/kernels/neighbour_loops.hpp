// SPDX-License-Identifier: BSD-3-Clause
// Loops that predict one block from time and from neighbours (docs/decisions/0013). Compiled once for each instruction
// set.
#pragma once

#include "gpz/core/neighbours.hpp"
#include "gpz/core/pack.hpp"
#include "gpz/kernels/difference_kernels.hpp"
#include "gpz/kernels/triple_loops.hpp"

namespace gpz::codec {
namespace GPZ_ISA {

static std::int32_t expect(const DifferenceBlock::Axis &axis, const core::Predictor &predictor, std::int32_t reciprocal,
                           std::uint32_t i) {
  return core::expect(predictor, axis.velocity[i], axis.previous[i],
                      core::offset_to_mean(axis.deviation[i], reciprocal));
}

// Limit of values in a fit: about 16 times the block's typical magnitude. Otherwise a few jumping atoms would dominate
// the fit.
static std::int32_t usual_limit(const std::int32_t *x, std::uint32_t n) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < n; ++i)
    sum += static_cast<std::uint32_t>(core::rough_bits(static_cast<std::uint32_t>(x[i] < 0 ? -x[i] : x[i]) << 1));
  return std::int32_t{1} << core::min_of(sum / core::max_of(n, 1u) + 5, 22u);
}

// Computes the temporal prediction of axis d.
static void find_expected(const DifferenceBlock &block, int d, DifferenceScratch &scratch) {
  std::int32_t *__restrict expected = scratch.expected[d];
  const DifferenceBlock::Axis axis = block.axes[d];
  const core::Predictor predictor = block.predictor;
  const std::int32_t reciprocal = block.reciprocal;
  const std::uint32_t n = block.n;
  for (std::uint32_t i = 0; i < n; ++i) expected[i] = expect(axis, predictor, reciprocal, i);
}

// Computes the temporal prediction of axis d, the remainders (scratch.remainder) and the clamped remainders
// (scratch.near). Remainders before the block count as 0.
static void find_remainders(const DifferenceBlock &block, int d, DifferenceScratch &scratch) {
  find_expected(block, d, scratch);
  const DifferenceBlock::Axis axis = block.axes[d];
  const std::int32_t *__restrict expected = scratch.expected[d];
  std::int64_t *__restrict r = scratch.remainder;
  std::int32_t *__restrict near = scratch.near[d] + DifferenceScratch::near_at;
  const std::uint32_t n = block.n;
  for (std::uint32_t j = 1; j <= max_neighbour_lags; ++j) near[-static_cast<std::int32_t>(j)] = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::int64_t left = core::remainder_of(axis.q[i], axis.last[i], expected[i], axis.grid);
    r[i] = left;
    near[i] = core::limit_remainder(left);
  }
}

// Adds the block's values to the sums of a fit. The block's first slot has level `phase`.
static void sum_neighbours(const DifferenceBlock &block, std::uint32_t phase, DifferenceScratch &scratch,
                           NeighbourSums &sums) {
  constexpr std::uint32_t period = NeighbourSums::period;
  for (int d = 0; d < block.components; ++d) {
    find_remainders(block, d, scratch);
    std::int32_t *near = scratch.near[d] + DifferenceScratch::near_at;
    const std::int32_t most = usual_limit(near, block.n);
    for (std::uint32_t i = 0; i < block.n; ++i) near[i] = near[i] < most && near[i] > -most ? near[i] : 0;
    const std::uint32_t end = (block.n + period - 1) / period * period;
    for (std::uint32_t i = block.n; i < end; ++i) near[i] = 0;
    std::int64_t product[max_neighbour_lags + 1][period] = {};
    for (std::uint32_t i = 0; i < end; i += period)
      for (std::uint32_t lag = 0; lag <= max_neighbour_lags; ++lag)
        for (std::uint32_t k = 0; k < period; ++k)
          product[lag][k] += std::int64_t{near[i + k]} * near[static_cast<std::int64_t>(i + k) - lag];
    for (std::uint32_t lag = 0; lag <= max_neighbour_lags; ++lag)
      for (std::uint32_t k = 0; k < period; ++k) sums.product[lag][(phase + k) % period] += product[lag][k];
  }
}

// Neighbour prediction in units of 1/64; at most 4 * 128 * core::neighbour_limit, which is below 2^29.
static std::int32_t neighbours_say(const std::int32_t *const *weight, const std::int32_t *near, std::int64_t i) {
  return weight[0][i] * near[i - 1] + weight[1][i] * near[i - 2] + weight[2][i] * near[i - 3] +
         weight[3][i] * near[i - 4];
}

// Computes the residual numbers and predictions of axis d, with neighbours.
static void find_neighbour_residuals(const DifferenceBlock &block, int d, DifferenceScratch &scratch) {
  find_remainders(block, d, scratch);
  const std::int32_t *const weight[] = {block.weight[0], block.weight[1], block.weight[2], block.weight[3]};
  const std::int64_t *__restrict r = scratch.remainder;
  const std::int32_t *__restrict near = scratch.near[d] + DifferenceScratch::near_at;
  std::int32_t *__restrict expected = scratch.expected[d];
  std::uint32_t *__restrict u = scratch.value[d];
  const std::uint32_t n = block.n;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::int32_t alone = expected[i];
    const std::int32_t together = alone + neighbours_say(weight, near, i);
    const std::int32_t said = core::expected_step(together) - core::expected_step(alone);
    u[i] = core::narrow_number(core::residual_number(core::difference_of(r[i], said), together));
    expected[i] = together;
  }
}

// Decodes particle by particle, since each depends on the previous ones. Axes are interleaved, so that their dependency
// chains overlap. Adds the neighbour prediction to the temporal one in scratch.expected. Where scratch.known is set,
// scratch.near already holds the remainder.
template <int components, bool exceptions, bool triples>
static void follow_neighbours(const DifferenceBlock &block, DifferenceScratch &scratch) {
  std::int32_t *near[components];
  std::uint32_t *u[components];
  std::int32_t *expected[components];
  for (int d = 0; d < components; ++d) {
    near[d] = scratch.near[d] + DifferenceScratch::near_at;
    u[d] = scratch.value[d];
    expected[d] = scratch.expected[d];
    for (std::uint32_t j = 1; j <= max_neighbour_lags; ++j) near[d][-static_cast<std::int32_t>(j)] = 0;
  }
  const std::int32_t *const weight[] = {block.weight[0], block.weight[1], block.weight[2], block.weight[3]};
  std::int32_t last[components] = {};
  for (std::int64_t i = 0; i < block.n; ++i) {
    std::int32_t alone[components];
    for (int d = 0; d < components; ++d) {
      alone[d] = expected[d][i];
      const std::int32_t others =
          weight[1][i] * near[d][i - 2] + weight[2][i] * near[d][i - 3] + weight[3][i] * near[d][i - 4];
      expected[d][i] = alone[d] + others + weight[0][i] * last[d];
    }
    if constexpr (triples) separate(scratch, static_cast<std::uint32_t>(i));
    for (int d = 0; d < components; ++d) {
      const std::int64_t moved = core::numbered_residual(u[d][i], expected[d][i]) + core::expected_step(expected[d][i]);
      last[d] = core::limit_remainder(moved - core::expected_step(alone[d]));
      if (exceptions && scratch.known[d][i] != 0) last[d] = near[d][i];
      near[d][i] = last[d];
    }
  }
}

template <int components>
static void follow_neighbours(const DifferenceBlock &block, bool exceptions, DifferenceScratch &scratch) {
  exceptions ? follow_neighbours<components, true, false>(block, scratch)
             : follow_neighbours<components, false, false>(block, scratch);
}

// follow_neighbours() with `count` exceptions, given by the values' indices and their grid indices. Their remainders
// are known beforehand.
static void follow_neighbours(const DifferenceBlock &block, bool triples, const std::uint32_t *exception,
                              const std::uint32_t *index, std::uint32_t count, DifferenceScratch &scratch) {
  if (count != 0) memset(scratch.known, 0, sizeof(scratch.known));
  for (std::uint32_t e = 0; e < count; ++e) {
    const std::uint32_t i = exception[e] & 0xFFFFu;
    const std::uint32_t d = exception[e] >> 16;
    std::int64_t q = 0;
    memcpy(&q, index + 2 * std::size_t{e}, sizeof(q));
    scratch.known[d][i] = 1;
    scratch.near[d][DifferenceScratch::near_at + i] =
        core::limit_remainder(core::remainder_of(q, block.axes[d].last[i], scratch.expected[d][i], block.axes[d].grid));
  }
  if (block.components == 1) return follow_neighbours<1>(block, count != 0, scratch);
  if (block.components == 2) return follow_neighbours<2>(block, count != 0, scratch);
  if (!triples) return follow_neighbours<3>(block, count != 0, scratch);
  count == 0 ? follow_neighbours<3, false, true>(block, scratch) : follow_neighbours<3, true, true>(block, scratch);
}

}  // namespace GPZ_ISA
}  // namespace gpz::codec
