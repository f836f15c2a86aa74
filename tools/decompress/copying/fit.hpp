// SPDX-License-Identifier: BSD-3-Clause
// Whether frames of different files belong together.
#pragma once

#include <string>

#include "gpz/frame.hpp"

namespace gpz::tool {

// The metadata of `a`, with what only `b` says of units, atom style, names of types and size of a timestep.
Metadata joined(Metadata a, const Metadata &b);

// The difference between the columns of two frames, in words: names, types, bounds. The bound of scaled positions is
// compared as a distance. Empty: nothing.
std::string difference_of_columns(const FrameInfo &a, const FrameInfo &b);

// The difference between two frames that are parts of one: fields of their heads, except the particles and the largest
// errors. Empty: nothing.
std::string difference_of_parts(const FrameInfo &a, const FrameInfo &b);

}  // namespace gpz::tool
