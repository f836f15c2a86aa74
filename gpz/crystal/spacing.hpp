// SPDX-License-Identifier: BSD-3-Clause
// How far particles are from each other.
#pragma once

#include "gpz/codec/difference_codec.hpp"
#include "gpz/core/types.hpp"

namespace gpz::crystal {

// Edge of the cube (square, line) that each particle has, in grid steps: from the last positions, of which there is one
// at least.
double mean_distance(const codec::DifferenceState &state, const core::GridBox &box);

}  // namespace gpz::crystal
