// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/expectation.hpp"

#include <algorithm>
#include <cmath>

#include "gpz/codec/parallel.hpp"
#include "gpz/crystal/least_squares.hpp"
#include "gpz/error.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::model {
namespace {

constexpr std::size_t sample_size = 4096;  // particles

struct Features {
  std::int32_t velocity;
  std::int32_t previous;
  std::int32_t mean;  // in eighths of a grid step
};

Features features_of(const codec::DifferenceState::Axis &axis, std::int32_t reciprocal, std::size_t i) {
  return {axis.velocity[i], axis.previous[i], core::offset_to_mean(axis.deviation[i], reciprocal)};
}

}  // namespace

void Temporal::fit(const codec::DifferenceState &state, const codec::IndexColumns &q, const core::GridBox &box,
                   std::vector<std::uint8_t> &bytes) {
  const std::size_t n = state.particles;
  const std::size_t stride = crystal::sample_stride(n, sample_size);
  const std::int32_t reciprocal = core::reciprocal_of(state.frames);
  core::FitSums sums;
  // Products have at most 44 bits, so that their sums over the sample stay below 2^63.
  for (std::size_t d = 0; d < static_cast<std::size_t>(state.components); ++d) {
    const core::GridAxis grid = core::checked_axis(box[d]);
    const codec::DifferenceState::Axis &axis = state.axes[d];
    const auto moved = [&](std::size_t i) {
      return core::limit_history(core::displacement(q[d][i], axis.last[i], grid));
    };
    // Values far beyond the usual size would dominate the fit.
    std::size_t sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; i += stride, ++count)
      sum += static_cast<std::uint32_t>(core::rough_bits(static_cast<std::uint32_t>(2 * std::abs(moved(i)))));
    const std::int32_t limit =
        (1 << std::min<std::size_t>((sum + count / 2) / std::max<std::size_t>(count, 1) + 5, 22)) - 1;
    const auto inside = [&](std::int32_t x) { return x <= limit && x >= -limit; };
    for (std::size_t i = 0; i < n; i += stride) {
      const Features f = features_of(axis, reciprocal, i);
      const std::int32_t mean = core::whole_offset(f.mean);
      const std::int32_t y = moved(i);
      if (!inside(y) || !inside(f.velocity) || !inside(f.previous) || !inside(mean)) continue;
      core::add_to_fit(sums, f.velocity, f.previous, mean, y);
    }
  }
  predictor_ = core::fit_predictor(sums);
  for (const std::int8_t c : {predictor_.velocity, predictor_.previous, predictor_.mean})
    bytes.push_back(static_cast<std::uint8_t>(c));
}

std::size_t Temporal::read(const std::uint8_t *bytes, std::size_t size) {
  if (size < 3) format::corrupt("coefficients of a prediction", 0);
  predictor_ = {static_cast<std::int8_t>(bytes[0]), static_cast<std::int8_t>(bytes[1]),
                static_cast<std::int8_t>(bytes[2])};
  return 3;
}

void Temporal::expect(const codec::DifferenceState &state, Expectation &out, int threads) const {
  const std::size_t n = state.particles;
  const std::int32_t reciprocal = core::reciprocal_of(state.frames);
  const auto axes = static_cast<std::size_t>(state.components);
  for (std::size_t d = 0; d < axes; ++d) out[d].resize(n);
  codec::parallel_particles(threads, n, [&](std::size_t first, std::size_t last) {
    for (std::size_t d = 0; d < axes; ++d)
      for (std::size_t i = first; i < last; ++i) {
        const Features f = features_of(state.axes[d], reciprocal, i);
        out[d][i] = core::expect(predictor_, f.velocity, f.previous, f.mean) - 32;
      }
  });
}

void find_remainders(const codec::DifferenceState &state, const Expectation &expected, const codec::IndexColumns &q,
                     const core::GridBox &box, Remainders &out, int threads) {
  const std::size_t n = state.particles;
  const auto axes = static_cast<std::size_t>(state.components);
  for (std::size_t d = 0; d < axes; ++d) out[d].resize(n);
  codec::parallel_particles(threads, n, [&](std::size_t first, std::size_t last) {
    for (std::size_t d = 0; d < axes; ++d) {
      const core::GridAxis grid = core::checked_axis(box[d]);
      for (std::size_t i = first; i < last; ++i)
        out[d][i] = core::limit_remainder(core::difference_of(core::displacement(q[d][i], state.axes[d].last[i], grid),
                                                              core::expected_step(expected[d][i] + 32)));
    }
  });
}

}  // namespace gpz::model
