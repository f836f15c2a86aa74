// SPDX-License-Identifier: BSD-3-Clause
// Whether frames belong into one file: those that are added to a file, or those of several files.
#pragma once

#include <optional>
#include <string>

#include "gpz/export.h"
#include "gpz/frame.hpp"

namespace gpz {

// An item of which two descriptions say different things, as texts for people. From a file, they have any characters
// (printable.hpp).
struct Difference {
  std::string item;    // "units"
  std::string first;   // "metal"
  std::string second;  // "nano"
};

// The first item of units, atom style, elements, type labels and timestep that differs. An item that one of the two
// leaves out (an empty text or list, 0) does not differ.
GPZ_API std::optional<Difference> difference(const Metadata &a, const Metadata &b);

// The bound of a field of a frame with this box; for fractions of the box (xs, xsu, ...) as a distance.
GPZ_API double bound_as_distance(const Field &field, const Box &box);
// Whether two bounds are equal, up to the rounding errors of multiplying and dividing by box edges.
GPZ_API bool same_bound(double a, double b);

// Throw invalid_argument unless frames with the metadata `given` may be added to a file with the metadata `file`: what
// is given (units, atom style, elements, type labels, timestep) has to be that of the file. What is left out is that of
// the file.
GPZ_API void require_continuation(const Metadata &file, const Metadata &given);
// Throws invalid_argument unless each column of `next`, the first frame that is added, has the bound that a column of
// this name has in `last`, the last frame of the file. Of fractions of the box, it is the same fraction or the same
// distance.
GPZ_API void require_continuation(const FrameInfo &last, const FrameInfo &next);

}  // namespace gpz
