// SPDX-License-Identifier: BSD-3-Clause
// Checks whether frames fit into one file: frames that are appended, or frames of several files that are merged.
#pragma once

#include <optional>
#include <string>

#include "gpz/container.hpp"
#include "gpz/export.h"
#include "gpz/frame.hpp"

namespace gpz {

// An item that differs between two descriptions, as texts for users. Texts from a file may contain any characters
// (printable.hpp).
struct Difference {
  std::string item;    // "units"
  std::string first;   // "metal"
  std::string second;  // "nano"
};

// The first of units, atom style, elements, type labels and timestep that differs. An item that `a` or `b` leaves out
// (an empty text or list, 0) does not differ.
GPZ_API std::optional<Difference> difference(const Metadata &a, const Metadata &b);
// Whether each frame of the file has a time of its own. Such files may be continued with another timestep.
GPZ_API bool all_have_times(const FileScan &file);

// The bound of a field as a distance. Bounds of scaled columns (xs, xsu, ...) are fractions of `box` in the file.
GPZ_API double bound_as_distance(const Field &field, const Box &box);
// Whether two bounds are equal, up to the rounding errors of multiplying and dividing by box edges.
GPZ_API bool same_bound(double a, double b);

// Throw invalid_argument unless frames with the metadata `given` may be added to a file with the metadata `file`: the
// units, atom style, elements, type labels and timestep that are given must be those of the file. Items left out are
// taken from the file.
GPZ_API void require_continuation(const Metadata &file, const Metadata &given);
// Throws invalid_argument unless each column of `next`, the first added frame, has the bound of the column of this name
// in `last`, the last frame of the file. A scaled column must have the same fraction of the box or the same distance.
GPZ_API void require_continuation(const FrameInfo &last, const FrameInfo &next);

}  // namespace gpz
