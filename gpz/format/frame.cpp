// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/frame.hpp"

#include <algorithm>
#include <cmath>

namespace gpz {
namespace {

// Uses operations that every machine rounds alike, because relative bounds depend on edges; std::hypot differs between
// C libraries. Scaling by a power of two prevents overflow of squares.
double length(double x, double y, double z) {
  const double sum = std::fabs(x) + std::fabs(y) + std::fabs(z);
  if (!(sum > 0) || !std::isfinite(sum)) return sum;
  int exponent = 0;
  std::frexp(sum, &exponent);
  const double a = std::ldexp(x, -exponent);
  const double b = std::ldexp(y, -exponent);
  const double c = std::ldexp(z, -exponent);
  return std::ldexp(std::sqrt(a * a + b * b + c * c), exponent);
}

}  // namespace

std::array<double, 3> Box::edges() const {
  const auto &v = values;
  switch (kind) {
    case Kind::none:
      break;
    case Kind::orthogonal:
    case Kind::triclinic:
      return {v[1] - v[0], length(v[3] - v[2], v[6], 0), length(v[5] - v[4], v[7], v[8])};
    case Kind::general_triclinic:
      return {length(v[0], v[1], v[2]), length(v[3], v[4], v[5]), length(v[6], v[7], v[8])};
  }
  return {0, 0, 0};
}

// Adds in the order of LAMMPS, so that sums are rounded in the same way.
std::array<double, 6> Box::bounding() const {
  const double xy = values[6];
  const double xz = values[7];
  const double yz = values[8];
  double xlo = std::min(values[0], values[0] + xy);
  xlo = std::min(xlo, xlo + xz);
  double xhi = std::max(values[1], values[1] + xy);
  xhi = std::max(xhi, xhi + xz);
  return {xlo, xhi, std::min(values[2], values[2] + yz), std::max(values[3], values[3] + yz), values[4], values[5]};
}

double Box::largest_edge_sum() const {
  const auto size = [this](std::size_t i) { return std::fabs(values[i]); };
  switch (kind) {
    case Kind::none:
      break;
    case Kind::orthogonal:
    case Kind::triclinic:
      return std::max({std::fabs(values[1] - values[0]) + size(6) + size(7), std::fabs(values[3] - values[2]) + size(8),
                       std::fabs(values[5] - values[4])});
    case Kind::general_triclinic:
      return std::max({size(0) + size(3) + size(6), size(1) + size(4) + size(7), size(2) + size(5) + size(8)});
  }
  return 0;
}

const Frame::Column *Frame::find(const std::string &wanted) const {
  for (const Column &column : columns) {
    if (name(column) == wanted) return &column;
  }
  return nullptr;
}

}  // namespace gpz
