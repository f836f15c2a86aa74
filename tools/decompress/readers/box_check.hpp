// SPDX-License-Identifier: BSD-3-Clause
// Boxes that no simulation can have.
#pragma once

#include <string>

#include "gpz/frame.hpp"

namespace gpz::tool {

// The error in the box, or nothing: a number that is not finite, an upper edge below the lower one, a periodic edge of
// length 0, three vectors in one plane. An edge of length 0 that is not periodic is right: particles in a plane have
// such a box after shrink-wrapping, and ASE gives slabs and wires such cells.
std::string box_problem(const Box &box);

}  // namespace gpz::tool
