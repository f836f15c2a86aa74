// SPDX-License-Identifier: BSD-3-Clause
// The columns that hold positions, in the four forms of LAMMPS, and the box as a map from one form to another.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "gpz/export.h"
#include "gpz/frame.hpp"

namespace gpz {

// x: wrapped into the box, distance units. xu: unwrapped. xs: wrapped, as fractions of the box. xsu: unwrapped
// fractions.
enum class PositionForm : std::uint8_t { wrapped, unwrapped, scaled, scaled_unwrapped };
// A frame that has positions in several forms is read in the first of these.
inline constexpr std::array<PositionForm, 4> all_forms = {PositionForm::wrapped, PositionForm::unwrapped,
                                                          PositionForm::scaled, PositionForm::scaled_unwrapped};

constexpr bool is_scaled(PositionForm form) {
  return form == PositionForm::scaled || form == PositionForm::scaled_unwrapped;
}
// The names of x, y, z in a form, e.g. xsu ysu zsu.
GPZ_API std::array<std::string, 3> position_names(PositionForm form);
// Whether the column is a position in any form, or a fraction of the box.
GPZ_API bool is_position(const std::string &column);
GPZ_API bool is_scaled_position(const std::string &column);

// The box as an affine map: Cartesian = origin + a * xs + b * ys + c * zs.
struct BoxVectors {
  std::array<double, 3> a, b, c, origin;
};
// Throws not_found if there is no box.
GPZ_API BoxVectors box_vectors(const Box &box);
// The point with these fractions of the box.
GPZ_API std::array<double, 3> cartesian(const BoxVectors &box, const std::array<double, 3> &scaled);

}  // namespace gpz
