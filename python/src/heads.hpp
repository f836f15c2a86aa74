// SPDX-License-Identifier: BSD-3-Clause
// What is known of files and frames before they are decoded, as tuples and dictionaries of which the Python files make
// the objects that users see.
#pragma once

#include <nanobind/nanobind.h>

#include "gpz/container.hpp"
#include "gpz/frame.hpp"

namespace gpz::python {

nanobind::dict to_python(const Metadata &metadata);
// Members that the dictionary lacks stay empty.
Metadata metadata_from(const nanobind::dict &values);

// (particles, timestep, time, frames since the key frame, box, largest edge sum of the box, columns). Each column is
// (name, number of its field, value type, display, bound, largest error).
nanobind::tuple to_python(const FrameInfo &info);

// (kind, dimension, boundary, 12 values)
Box box_from(const nanobind::tuple &values);

}  // namespace gpz::python
