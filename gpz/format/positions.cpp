// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/positions.hpp"

#include <algorithm>
#include <cstddef>

#include "gpz/error.hpp"

namespace gpz {
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

std::optional<PositionForm> position_form(const std::string &column) {
  for (const PositionForm form : all_forms) {
    const auto names = position_names(form);
    if (std::find(names.begin(), names.end(), column) != names.end()) return form;
  }
  return std::nullopt;
}

bool is_position(const std::string &column) { return position_form(column).has_value(); }

bool is_scaled_position(const std::string &column) {
  const auto form = position_form(column);
  return form && is_scaled(*form);
}

std::vector<std::string> position_columns(const std::vector<std::string> &columns) {
  const auto has = [&](const std::string &name) {
    return std::find(columns.begin(), columns.end(), name) != columns.end();
  };
  const auto size = [&](PositionForm form) {
    const auto names = position_names(form);
    return std::count_if(names.begin(), names.end(), has);
  };
  auto forms = all_forms;
  std::stable_sort(forms.begin(), forms.end(), [&](PositionForm a, PositionForm b) { return size(a) > size(b); });
  // Behind the form with most coordinates, the order of all_forms decides.
  std::sort(forms.begin() + 1, forms.end());
  std::vector<std::string> found;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto form =
        std::find_if(forms.begin(), forms.end(), [&](PositionForm f) { return has(position_names(f)[axis]); });
    if (form != forms.end())
      found.push_back(position_names(*form)[axis]);
    else if (axis < 2)
      return {};
  }
  return found;
}

std::vector<std::string> leading_positions(const std::vector<std::string> &columns) {
  std::vector<std::string> found = position_columns(columns);
  const auto end = std::find_if(found.begin(), found.end(), [&](const std::string &name) {
    return position_form(name) != position_form(found.front());
  });
  found.erase(end, found.end());
  if (found.size() < 2) found.clear();
  return found;
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

// Equations for the three fractions s: those that are given, and origin + matrix * s for the coordinates.
PointsInBox::PointsInBox(const BoxVectors &box, const std::array<bool, 3> &scaled) : box_(box), scaled_(scaled) {
  std::array<std::array<double, 3>, 3> m{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (scaled[axis])
      m[axis][axis] = 1;
    else
      m[axis] = {box.a[axis], box.b[axis], box.c[axis]};
  }
  const auto minor = [&](std::size_t i, std::size_t j) {
    const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    return m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1];
  };
  const double determinant = m[0][0] * minor(0, 0) + m[0][1] * minor(0, 1) + m[0][2] * minor(0, 2);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      // A box without an extent there: nothing depends on those fractions.
      if (determinant != 0)
        to_fractions_[i][j] = minor(j, i) / determinant;
      else if (i == j && scaled[i])
        to_fractions_[i][j] = 1;
    }
}

std::array<double, 3> PointsInBox::cartesian(const std::array<double, 3> &point) const {
  std::array<double, 3> relative = point;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!scaled_[axis]) relative[axis] -= box_.origin[axis];
  std::array<double, 3> fractions{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    fractions[axis] = scaled_[axis] ? point[axis]
                                    : to_fractions_[axis][0] * relative[0] + to_fractions_[axis][1] * relative[1] +
                                          to_fractions_[axis][2] * relative[2];
  std::array<double, 3> result = gpz::cartesian(box_, fractions);
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!scaled_[axis]) result[axis] = point[axis];
  return result;
}

}  // namespace gpz
