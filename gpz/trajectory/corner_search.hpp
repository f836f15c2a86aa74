// SPDX-License-Identifier: BSD-3-Clause
// Encoder: finds the corner of a tilted cell, because the box in the file may be missing or placed elsewhere.
#pragma once

#include <cstddef>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/crystal/vector3.hpp"
#include "gpz/format/grid_box.hpp"

namespace gpz::trajectory {

using crystal::operator+;
using crystal::operator-;
using crystal::operator*;

class CornerSearch {
 public:
  // Moves the corner of the cell (the lower ends of its axes) so that most particles are inside, as a parallelepiped or
  // as a brick with the same edge lengths. Keeps the corner if nearly all particles are inside already.
  void find_corner(format::TiltedEdges &cell, const codec::IndexColumns &q, std::size_t n);

 private:
  crystal::Vector3 offset_{};  // of the found corner, in edges
  unsigned frames_to_wait_ = 0;
};

}  // namespace gpz::trajectory
