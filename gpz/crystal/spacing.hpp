// SPDX-License-Identifier: BSD-3-Clause
// Mean spacing of particles.
#pragma once

#include "gpz/codec/difference_codec.hpp"
#include "gpz/core/types.hpp"

namespace gpz::crystal {

// Edge, in grid steps, of the cube (square, line segment) that one particle occupies on average. Computed from the last
// positions of at least one particle.
double mean_distance(const codec::DifferenceState &state, const core::GridBox &box);

}  // namespace gpz::crystal
