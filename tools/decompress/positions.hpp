// SPDX-License-Identifier: BSD-3-Clause
// Where the positions of a frame are, in which of LAMMPS's four forms, and how one form becomes another.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "gpz/frame.hpp"

namespace gpz::tool {

// x: wrapped into the box, distance units. xu: unwrapped. xs: wrapped, as fractions of the box. xsu: unwrapped
// fractions.
enum class PositionForm { wrapped, unwrapped, scaled, scaled_unwrapped };
inline constexpr std::array<PositionForm, 4> all_forms = {PositionForm::wrapped, PositionForm::unwrapped,
                                                          PositionForm::scaled, PositionForm::scaled_unwrapped};

struct Positions {
  PositionForm form = PositionForm::wrapped;
  // Indices into Frame::columns for x, y, z; a 2-D frame may lack z.
  std::array<std::optional<std::size_t>, 3> columns;

  bool scaled() const { return form == PositionForm::scaled || form == PositionForm::scaled_unwrapped; }
};

// The names of x, y, z in a form, e.g. xsu ysu zsu.
std::array<std::string, 3> position_names(PositionForm form);

// Whether the name is that of a position in any form.
bool is_position(const std::string &column);
// Whether it is that of a fraction of the box.
bool is_scaled_position(const std::string &column);

// The positions of a frame: the first form of wrapped, unwrapped, scaled, scaled unwrapped that has x and y.
std::optional<Positions> find_positions(const Frame &frame);
// The positions in that form, if there are x and y.
std::optional<Positions> find_positions(const Frame &frame, PositionForm form);

// The box as an affine map: Cartesian = origin + a * xs + b * ys + c * zs.
struct BoxVectors {
  std::array<double, 3> a, b, c, origin;
};
// Throws Failure (usage) naming `file` if there is no box.
BoxVectors box_vectors(const Box &box, const std::string &file);

// The point with these fractions of the box.
std::array<double, 3> cartesian(const BoxVectors &box, const std::array<double, 3> &scaled);

// Leaves unwrapped positions only. Where a frame has them (xu, else xsu) the other forms are removed. Else image flags
// (columns ix iy iz) times box vectors are added to the wrapped ones, which are renamed (x to xu, xs to xsu). Throws
// Failure (usage) without image flags.
void unwrap(Frame &frame, const std::string &file);

// Turns fractions of the box into Cartesian coordinates (xs to x, xsu to xu); the fields' bounds become Cartesian as
// well.
void to_cartesian(Frame &frame, const std::string &file);

}  // namespace gpz::tool
