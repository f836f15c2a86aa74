// SPDX-License-Identifier: BSD-3-Clause
// Which columns are positions, and how fractions of the box become coordinates: gpz/positions.hpp.
#include "gpz/positions.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "module.hpp"
#include "text.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace gpz::python {
namespace {

template <class Names>
nb::tuple tuple_of(const Names &names) {
  nb::list list;
  for (const std::string &name : names) list.append(to_python(name));
  return nb::tuple(list);
}

// In the order of preference.
nb::dict forms() {
  nb::dict forms;
  for (const PositionForm form : all_forms) {
    const char *const name = is_wrapped(form)  ? is_scaled(form) ? "scaled" : "wrapped"
                             : is_scaled(form) ? "scaled_unwrapped"
                                               : "unwrapped";
    forms[name] = tuple_of(position_names(form));
  }
  return forms;
}

std::vector<std::string> texts(const nb::list &names) {
  std::vector<std::string> texts;
  for (const nb::handle name : names) texts.push_back(from_python(nb::cast<nb::str>(name)));
  return texts;
}

nb::tuple columns_among(const nb::list &names) { return tuple_of(position_columns(texts(names))); }
nb::tuple leading_among(const nb::list &names) { return tuple_of(leading_positions(texts(names))); }

using Points = nb::ndarray<nb::numpy, double, nb::shape<-1, 3>, nb::device::cpu>;
using Matrix = nb::ndarray<nb::numpy, const double, nb::shape<3, 3>, nb::device::cpu>;
using Vector = nb::ndarray<nb::numpy, const double, nb::shape<3>, nb::device::cpu>;

void to_cartesian(Points values, const Matrix &matrix, const Vector &origin, const nb::tuple &scaled) {
  std::array<bool, 3> is_scaled{};
  for (std::size_t axis = 0; axis < 3; ++axis) is_scaled[axis] = nb::cast<bool>(scaled[axis]);
  BoxVectors box{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.a[axis] = matrix(0, axis);
    box.b[axis] = matrix(1, axis);
    box.c[axis] = matrix(2, axis);
    box.origin[axis] = origin(axis);
  }
  const PointsInBox points(box, is_scaled);
  for (std::size_t i = 0; i < values.shape(0); ++i) {
    const auto point = points.cartesian({values(i, 0), values(i, 1), values(i, 2)});
    for (std::size_t axis = 0; axis < 3; ++axis) values(i, axis) = point[axis];
  }
}

}  // namespace

void bind_positions(nb::module_ &module) {
  module.attr("position_forms") = forms();
  module.def(
      "position_columns", &columns_among, "columns"_a,
      "Those of the positions among these columns of floats: of x, y and z, or of x and y; () without positions.");
  module.def("leading_positions", &leading_among, "columns"_a, "Those of them that are one field of a frame.");
  module.def(
      "to_cartesian", &to_cartesian, "values"_a.noconvert(), "matrix"_a, "origin"_a, "scaled"_a,
      "Makes coordinates of fractions of the box in (N, 3) float64 values, in place. matrix: edge vectors are its "
      "rows. scaled: whether x, y and z are fractions.");
}

}  // namespace gpz::python
