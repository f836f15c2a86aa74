// SPDX-License-Identifier: BSD-3-Clause
// Small dense linear algebra for encoders, in one order of operations: the same bits on every machine.
#pragma once

#include <array>
#include <cmath>

#include "gpz/core/quantize.hpp"

namespace gpz::cpu {

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<Vector3, 3>;  // rows

inline Vector3 operator-(const Vector3 &a, const Vector3 &b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vector3 operator+(const Vector3 &a, const Vector3 &b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vector3 operator*(double f, const Vector3 &a) { return {f * a[0], f * a[1], f * a[2]}; }
inline double dot(const Vector3 &a, const Vector3 &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vector3 cross(const Vector3 &a, const Vector3 &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vector3 &a) { return std::sqrt(dot(a, a)); }
// The nearest integer, of a magnitude below 2^51.
inline double nearest(double x) { return (x + core::rounding_magic) - core::rounding_magic; }
inline Vector3 nearest(const Vector3 &a) { return {nearest(a[0]), nearest(a[1]), nearest(a[2])}; }

// Coordinates in units of three edges that span a volume.
class Coordinates {
 public:
  explicit Coordinates(const std::array<Vector3, 3> &edges) : edges_(edges) {
    const double volume = dot(edges[0], cross(edges[1], edges[2]));
    rows_ = {1 / volume * cross(edges[1], edges[2]), 1 / volume * cross(edges[2], edges[0]),
             1 / volume * cross(edges[0], edges[1])};
  }
  Vector3 of(const Vector3 &x) const { return {dot(rows_[0], x), dot(rows_[1], x), dot(rows_[2], x)}; }
  Vector3 place(const Vector3 &u) const { return u[0] * edges_[0] + u[1] * edges_[1] + u[2] * edges_[2]; }

 private:
  std::array<Vector3, 3> edges_;
  Matrix3 rows_{};
};

}  // namespace gpz::cpu
