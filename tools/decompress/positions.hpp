// SPDX-License-Identifier: BSD-3-Clause
// Where the positions of a frame are, in which of LAMMPS's four forms, and how one form becomes another.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "gpz/frame.hpp"
#include "gpz/positions.hpp"

namespace gpz::tool {

struct Positions {
  // Indices into Frame::columns for x, y, z; a 2-D frame may lack z. Each may be of another form.
  std::array<std::optional<std::size_t>, 3> columns;
  std::array<PositionForm, 3> forms{};  // of the columns that are there

  // Whether some are fractions of the box.
  bool scaled() const;
  // Whether all are of this form.
  bool all(PositionForm form) const;
  // The names of the columns that are there.
  std::vector<std::string> names() const;
};

// The positions of a frame, as gpz::position_columns() chooses them.
std::optional<Positions> find_positions(const Frame &frame);
// The positions in that form, if there are x and y.
std::optional<Positions> find_positions(const Frame &frame, PositionForm form);

// gpz::box_vectors(). Throws Failure (usage) naming `file` if there is no box.
BoxVectors box_vectors(const Box &box, const std::string &file);

// Leaves unwrapped positions only. Where a frame has them (xu, else xsu) the other forms are removed. Else image flags
// (columns ix iy iz) times box vectors are added to those of the positions that are wrapped, which are renamed (x to
// xu, xs to xsu). Throws Failure (usage) without image flags.
void unwrap(Frame &frame, const std::string &file);

// Turns fractions of the box into Cartesian coordinates (xs to x, xsu to xu); the
// fields' bounds become Cartesian as well.
void to_cartesian(Frame &frame, const std::string &file);

}  // namespace gpz::tool
