// SPDX-License-Identifier: BSD-3-Clause
// Expected positions of particles before anything of their frame is decoded (docs/format.md, section 9a).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::model {

// Expected displacement of each particle from its last index, in units of 1/64 grid step, within +-expectation_limit.
using Expectation = std::array<format::Column<std::int32_t>, core::max_components>;
inline constexpr std::int32_t expectation_limit = 1 << 29;

// Actual less expected displacements, in grid steps, within +-core::neighbour_limit.
using Remainders = std::array<format::Column<std::int32_t>, core::max_components>;

// Predicts from the history of each particle alone, as coding 1 does (docs/format.md, section 9).
class Temporal {
 public:
  // Fits by least squares over a sample of particles. `q` is the new frame. Appends three bytes.
  void fit(const codec::DifferenceState &state, const codec::IndexColumns &q, const core::GridBox &box,
           std::vector<std::uint8_t> &bytes);
  // Returns the number of bytes read. Throws corrupt.
  std::size_t read(const std::uint8_t *bytes, std::size_t size);
  void expect(const codec::DifferenceState &state, Expectation &out, int threads = 1) const;

 private:
  core::Predictor predictor_;
};

// Computes the remainders of all particles in the frame q.
void find_remainders(const codec::DifferenceState &state, const Expectation &expected, const codec::IndexColumns &q,
                     const core::GridBox &box, Remainders &out, int threads = 1);

}  // namespace gpz::model
