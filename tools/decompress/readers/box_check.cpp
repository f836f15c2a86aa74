// SPDX-License-Identifier: BSD-3-Clause
#include "readers/box_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gpz::tool {
namespace {

double determinant(const std::array<double, 12> &v) {
  return v[0] * (v[4] * v[8] - v[5] * v[7]) - v[1] * (v[3] * v[8] - v[5] * v[6]) + v[2] * (v[3] * v[7] - v[4] * v[6]);
}

}  // namespace

std::string box_problem(const Box &box) {
  if (box.kind == Box::Kind::none) return {};
  if (!std::all_of(box.values.begin(), box.values.end(), [](double value) { return std::isfinite(value); }))
    return "a number of the box is not finite";
  if (box.kind == Box::Kind::general_triclinic)
    return determinant(box.values) == 0 ? "the box has no volume: its vectors are in one plane" : "";
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double low = box.values[2 * axis];
    const double high = box.values[2 * axis + 1];
    if (high < low) return fmt::format("the box ends at {} = {}, below its beginning at {}", "xyz"[axis], high, low);
    if (high == low && box.boundary[2 * axis] == 'p')
      return fmt::format("the box is periodic along {}, and its edge has length 0", "xyz"[axis]);
  }
  return {};
}

}  // namespace gpz::tool
