// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/positions.hpp"

#include <algorithm>

#include "gpz/error.hpp"

namespace gpz {
namespace {

bool is_of(PositionForm form, const std::string &column) {
  const auto names = position_names(form);
  return std::find(names.begin(), names.end(), column) != names.end();
}

}  // namespace

std::array<std::string, 3> position_names(PositionForm form) {
  switch (form) {
    case PositionForm::wrapped:
      return {"x", "y", "z"};
    case PositionForm::unwrapped:
      return {"xu", "yu", "zu"};
    case PositionForm::scaled:
      return {"xs", "ys", "zs"};
    case PositionForm::scaled_unwrapped:
      break;
  }
  return {"xsu", "ysu", "zsu"};
}

bool is_position(const std::string &column) {
  return std::any_of(all_forms.begin(), all_forms.end(), [&](PositionForm form) { return is_of(form, column); });
}

bool is_scaled_position(const std::string &column) {
  return is_of(PositionForm::scaled, column) || is_of(PositionForm::scaled_unwrapped, column);
}

BoxVectors box_vectors(const Box &box) {
  const auto &v = box.values;
  switch (box.kind) {
    case Box::Kind::none:
      throw Error(Status::not_found, "the frames have no box");
    case Box::Kind::general_triclinic:
      return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}, {v[9], v[10], v[11]}};
    case Box::Kind::orthogonal:
    case Box::Kind::triclinic:
      break;
  }
  return {{v[1] - v[0], 0, 0}, {v[6], v[3] - v[2], 0}, {v[7], v[8], v[5] - v[4]}, {v[0], v[2], v[4]}};
}

std::array<double, 3> cartesian(const BoxVectors &box, const std::array<double, 3> &scaled) {
  std::array<double, 3> point{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    point[axis] = box.origin[axis] + box.a[axis] * scaled[0] + box.b[axis] * scaled[1] + box.c[axis] * scaled[2];
  return point;
}

}  // namespace gpz
