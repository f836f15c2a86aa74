// SPDX-License-Identifier: BSD-3-Clause
// The decimal places that a text left to positions.
#pragma once

#include "gpz/frame.hpp"

namespace gpz::tool {

// The distance of two neighbouring values of the positions where they are largest, in the units of the field: 0.001 if
// these have three decimal places. 0 if they have more than doubles are sure of, if there are too few, or no positions
// but fractions of the box.
double decimal_grid(const Frame &frame);

}  // namespace gpz::tool
