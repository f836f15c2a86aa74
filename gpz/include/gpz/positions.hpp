// SPDX-License-Identifier: BSD-3-Clause
// The columns that hold positions, in the four forms of LAMMPS, and the box as a map from one form to another.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpz/export.h"
#include "gpz/frame.hpp"

namespace gpz {

// x: wrapped into the box, distance units. xu: unwrapped. xs: wrapped, as fractions of the box. xsu: unwrapped
// fractions.
enum class PositionForm : std::uint8_t { wrapped, unwrapped, scaled, scaled_unwrapped };
inline constexpr std::array<PositionForm, 4> all_forms = {PositionForm::wrapped, PositionForm::unwrapped,
                                                          PositionForm::scaled, PositionForm::scaled_unwrapped};

constexpr bool is_wrapped(PositionForm form) { return form == PositionForm::wrapped || form == PositionForm::scaled; }
constexpr bool is_scaled(PositionForm form) {
  return form == PositionForm::scaled || form == PositionForm::scaled_unwrapped;
}
// The names of x, y, z in a form, e.g. xsu ysu zsu.
GPZ_API std::array<std::string, 3> position_names(PositionForm form);
// The form of a column of positions; nothing for other columns.
GPZ_API std::optional<PositionForm> position_form(const std::string &column);
// Whether the column is a position in any form, or a fraction of the box.
GPZ_API bool is_position(const std::string &column);
GPZ_API bool is_scaled_position(const std::string &column);
// The columns that hold the positions of a frame with these columns of floats: those of x, y and z, or of x and y in a
// frame whose z are 0; none without x or y. They are of the form that has most of the three, the first of all_forms
// among equals. What it lacks comes from the first form that has it: each coordinate may be of another form.
GPZ_API std::vector<std::string> position_columns(const std::vector<std::string> &columns);

// Those of position_columns() that are the leading field of a frame (Field::leading): of one form, from x on. None if
// there are fewer than two.
GPZ_API std::vector<std::string> leading_positions(const std::vector<std::string> &columns);

// The box as an affine map: Cartesian = origin + a * xs + b * ys + c * zs.
struct BoxVectors {
  std::array<double, 3> a, b, c, origin;
};
// Throws not_found if there is no box.
GPZ_API BoxVectors box_vectors(const Box &box);
// The point with these fractions of the box.
GPZ_API std::array<double, 3> cartesian(const BoxVectors &box, const std::array<double, 3> &scaled);

// Points of which some coordinates are fractions of the box.
class GPZ_API PointsInBox {
 public:
  // scaled: whether x, y and z are fractions. Columns that are missing are none: coordinates of 0.
  PointsInBox(const BoxVectors &box, const std::array<bool, 3> &scaled);
  // Components that are not fractions stay as they are.
  std::array<double, 3> cartesian(const std::array<double, 3> &point) const;

 private:
  BoxVectors box_;
  std::array<bool, 3> scaled_;
  std::array<std::array<double, 3>, 3> to_fractions_{};  // of a point whose coordinates are relative to the origin
};

}  // namespace gpz
