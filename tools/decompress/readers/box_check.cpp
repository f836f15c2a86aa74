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

using Vector = std::array<double, 3>;

Vector edge_of(const Box &box, std::size_t k) {
  return {box.values[3 * k], box.values[3 * k + 1], box.values[3 * k + 2]};
}

bool is_zero(const Vector &v) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

// The edge vectors, with one across the others in place of a single vector of length 0, and any for two of them.
std::array<double, 12> completed(const Box &box) {
  std::array<double, 12> values = box.values;
  std::size_t zeros = 0;
  std::size_t last = 0;
  for (std::size_t k = 0; k < 3; ++k)
    if (is_zero(edge_of(box, k))) {
      ++zeros;
      last = k;
    }
  const Vector u = edge_of(box, (last + 1) % 3);
  const Vector v = edge_of(box, (last + 2) % 3);
  for (std::size_t d = 0; zeros == 1 && d < 3; ++d)
    values[3 * last + d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
  if (zeros == 2) values = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  return values;
}

}  // namespace

std::string box_problem(const Box &box) {
  if (box.kind == Box::Kind::none) return {};
  if (!std::all_of(box.values.begin(), box.values.end(), [](double value) { return std::isfinite(value); }))
    return "a number of the box is not finite";
  if (box.kind == Box::Kind::general_triclinic) {
    for (std::size_t k = 0; k < 3; ++k)
      if (box.boundary[2 * k] == 'p' && is_zero(edge_of(box, k)))
        return fmt::format("the box is periodic along {}, and its edge has length 0", "abc"[k]);
    return determinant(completed(box)) == 0 ? "the box has no volume: its vectors are in one plane" : "";
  }
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
