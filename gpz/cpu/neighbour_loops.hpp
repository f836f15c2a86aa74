// The loops over one block whose residuals are predicted by their neighbours (docs/decisions/0013). Compiled once for
// each instruction set.
#pragma once

#include "gpz/core/pack.hpp"
#include "gpz/cpu/difference_kernels.hpp"

namespace gpz::cpu {
namespace GPZ_ISA {

// The temporal prediction of a displacement.
static std::int32_t predicted(const DifferenceBlock::Axis &axis, const core::Predictor &predictor,
                              std::int64_t reciprocal, std::uint32_t i) {
  return core::predict(predictor, axis.velocity[i], axis.previous[i],
                       core::distance_to_mean(axis.deviation[i], reciprocal));
}

// What it leaves of particle i.
static std::int64_t remainder_of(const DifferenceBlock &block, const DifferenceBlock::Axis &axis, std::int64_t q,
                                 std::uint32_t i) {
  return core::difference_of(core::displacement(q, axis.last[i], axis.grid),
                             predicted(axis, block.predictor, block.reciprocal, i));
}

// The values that count in a fit are within 16 times what is usual in this block: atoms that jumped would otherwise
// decide it alone.
static std::int32_t usual_limit(const std::int32_t *x, std::uint32_t n) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < n; ++i)
    sum += static_cast<std::uint32_t>(core::rough_bits(static_cast<std::uint32_t>(x[i] < 0 ? -x[i] : x[i]) << 1));
  return std::int32_t{1} << core::min_of(sum / core::max_of(n, 1u) + 5, 22u);
}

// All of axis d in scratch.remainder, and limited in scratch.near[0]. Particles before the block count as 0.
static void find_remainders(const DifferenceBlock &block, int d, DifferenceScratch &scratch) {
  const DifferenceBlock::Axis axis = block.axes[d];
  const core::Predictor predictor = block.predictor;
  const std::int64_t reciprocal = block.reciprocal;
  std::int64_t *__restrict r = scratch.remainder;
  std::int32_t *__restrict near = scratch.near[0] + DifferenceScratch::near_at;
  for (std::uint32_t j = 1; j <= max_neighbour_lags; ++j) near[-static_cast<std::int32_t>(j)] = 0;
  for (std::uint32_t i = 0; i < block.n; ++i) {
    r[i] = core::difference_of(core::displacement(axis.q[i], axis.last[i], axis.grid),
                               predicted(axis, predictor, reciprocal, i));
    near[i] = core::limit_history(r[i]);
  }
}

// Adds the block's values to the sums of a fit; the first slot of the block is one of level `phase`.
static void sum_neighbours(const DifferenceBlock &block, std::uint32_t phase, DifferenceScratch &scratch,
                           NeighbourSums &sums) {
  constexpr std::uint32_t period = NeighbourSums::period;
  std::int32_t *near = scratch.near[0] + DifferenceScratch::near_at;
  for (int d = 0; d < block.components; ++d) {
    find_remainders(block, d, scratch);
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

// Rounded half up; below 2^26, and no sum overflows, as 4 * 128 * history_limit + 32 is below 2^31.
static std::int32_t expected_remainder(const std::int32_t *const *weight, const std::int32_t *near, std::int64_t i) {
  return (weight[0][i] * near[i - 1] + weight[1][i] * near[i - 2] + weight[2][i] * near[i - 3] +
          weight[3][i] * near[i - 4] + 32) >>
         6;
}

// What neighbours leave of axis d, in zigzag form.
static void find_neighbour_residuals(const DifferenceBlock &block, int d, DifferenceScratch &scratch,
                                     std::uint32_t *__restrict u) {
  find_remainders(block, d, scratch);
  const std::int32_t *const weight[] = {block.weight[0], block.weight[1], block.weight[2], block.weight[3]};
  const std::int64_t *__restrict r = scratch.remainder;
  const std::int32_t *__restrict near = scratch.near[0] + DifferenceScratch::near_at;
  for (std::uint32_t i = 0; i < block.n; ++i)
    u[i] = core::narrow_residual(core::difference_of(r[i], expected_remainder(weight, near, i)));
}

// What a decoder expects to be left of particle i of axis d, for the encoder.
static std::int32_t neighbours_say(const DifferenceBlock &block, int d, std::uint32_t i) {
  std::int32_t sum = 32;
  for (std::uint32_t j = 0; j < max_neighbour_lags && j < i; ++j) {
    const std::uint32_t other = i - 1 - j;
    sum += block.weight[j][i] * core::limit_history(remainder_of(block, block.axes[d], block.axes[d].q[other], other));
  }
  return sum >> 6;
}

// Decoding goes from particle to particle; axes take turns, so that one need not wait for the other. In
// scratch.expected: what neighbours say. Where scratch.known is set, scratch.near already has what is left.
template <int components, bool exceptions>
static void follow_neighbours(const DifferenceBlock &block, DifferenceScratch &scratch) {
  std::int32_t *near[components];
  const std::uint32_t *u[components];
  std::int32_t *expected[components];
  for (int d = 0; d < components; ++d) {
    near[d] = scratch.near[d] + DifferenceScratch::near_at;
    u[d] = scratch.value[d];
    expected[d] = scratch.expected[d];
    for (std::uint32_t j = 1; j <= max_neighbour_lags; ++j) near[d][-static_cast<std::int32_t>(j)] = 0;
  }
  const std::int32_t *const weight[] = {block.weight[0], block.weight[1], block.weight[2], block.weight[3]};
  std::int32_t last[components] = {};
  for (std::int64_t i = 0; i < block.n; ++i)
    for (int d = 0; d < components; ++d) {
      const std::int32_t others =
          weight[1][i] * near[d][i - 2] + weight[2][i] * near[d][i - 3] + weight[3][i] * near[d][i - 4] + 32;
      const std::int32_t say = (weight[0][i] * last[d] + others) >> 6;
      expected[d][i] = say;
      last[d] = core::limit_history(core::unzigzag(u[d][i]) + say);
      if (exceptions && scratch.known[d][i] != 0) last[d] = near[d][i];
      near[d][i] = last[d];
    }
}

// The same with what is left of exceptions: places and indices.
static void follow_neighbours(const DifferenceBlock &block, const std::uint32_t *place, const std::uint32_t *index,
                              std::uint32_t count, DifferenceScratch &scratch) {
  if (count != 0) memset(scratch.known, 0, sizeof(scratch.known));
  for (std::uint32_t e = 0; e < count; ++e) {
    const std::uint32_t i = place[e] & 0xFFFFu;
    const std::uint32_t d = place[e] >> 16;
    std::int64_t q = 0;
    memcpy(&q, index + 2 * std::size_t{e}, sizeof(q));
    scratch.known[d][i] = 1;
    scratch.near[d][DifferenceScratch::near_at + i] = core::limit_history(remainder_of(block, block.axes[d], q, i));
  }
  if (block.components == 1)
    count == 0 ? follow_neighbours<1, false>(block, scratch) : follow_neighbours<1, true>(block, scratch);
  else if (block.components == 2)
    count == 0 ? follow_neighbours<2, false>(block, scratch) : follow_neighbours<2, true>(block, scratch);
  else
    count == 0 ? follow_neighbours<3, false>(block, scratch) : follow_neighbours<3, true>(block, scratch);
}

}  // namespace GPZ_ISA
}  // namespace gpz::cpu
