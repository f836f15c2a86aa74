// SPDX-License-Identifier: BSD-3-Clause
// Where particles are expected in a frame of which nothing is decoded yet (docs/format.md, section 9a).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::model {

// The expected displacement of each particle from its last index, in units of 1/64 grid step, within
// +-expectation_limit.
using Expectation = std::array<format::Column<std::int32_t>, core::max_components>;
inline constexpr std::int32_t expectation_limit = 1 << 29;

// Remainders: actual displacements less the expected ones, in grid steps, within +-core::neighbour_limit.
using Remainders = std::array<format::Column<std::int32_t>, core::max_components>;

// Prediction from the history of each particle alone, as in coding 1 (docs/format.md, section 9).
class Temporal {
 public:
  // By least squares over a sample of particles, `q` being the new frame. Appends three bytes.
  void fit(const cpu::DifferenceState &state, const cpu::IndexColumns &q, const core::GridBox &box,
           std::vector<std::uint8_t> &bytes);
  // Returns the bytes read; throws corrupt.
  std::size_t read(const std::uint8_t *bytes, std::size_t size);
  void expect(const cpu::DifferenceState &state, Expectation &out) const;

 private:
  core::Predictor predictor_;
};

// How far the particles [first, first + n) are from where they are expected, axis d.
void find_remainders(const cpu::DifferenceState &state, const Expectation &expected, const cpu::IndexColumns &q,
                     const core::GridBox &box, Remainders &out);

}  // namespace gpz::model
