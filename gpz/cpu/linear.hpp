// SPDX-License-Identifier: BSD-3-Clause
// Small dense linear algebra for encoders, in one order of operations: the same bits on every machine.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

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

// Least squares with several right sides: sums of products first, then the solution.
class LeastSquares {
 public:
  LeastSquares(std::size_t unknowns, std::size_t sides)
      : unknowns_(unknowns), sides_(sides), matrix_(unknowns * unknowns), right_(unknowns * sides) {}

  void add(const double *features, const double *values) {
    for (std::size_t i = 0; i < unknowns_; ++i) {
      if (features[i] == 0) continue;
      for (std::size_t j = 0; j <= i; ++j) matrix_[i * unknowns_ + j] += features[i] * features[j];
      for (std::size_t s = 0; s < sides_; ++s) right_[i * sides_ + s] += features[i] * values[s];
    }
  }

  // solution(i, s) of unknown i and side s afterwards. A little is added to the diagonal.
  void solve() {
    for (std::size_t i = 0; i < unknowns_; ++i) {
      matrix_[i * unknowns_ + i] = matrix_[i * unknowns_ + i] * (1 + 1e-9) + 1e-9;
      for (std::size_t j = 0; j < i; ++j) matrix_[j * unknowns_ + i] = matrix_[i * unknowns_ + j];
    }
    for (std::size_t k = 0; k < unknowns_; ++k)
      for (std::size_t i = k + 1; i < unknowns_; ++i) {
        const double factor = matrix_[i * unknowns_ + k] / matrix_[k * unknowns_ + k];
        if (factor == 0) continue;
        for (std::size_t j = k; j < unknowns_; ++j) matrix_[i * unknowns_ + j] -= factor * matrix_[k * unknowns_ + j];
        for (std::size_t s = 0; s < sides_; ++s) right_[i * sides_ + s] -= factor * right_[k * sides_ + s];
      }
    for (std::size_t i = unknowns_; i-- > 0;)
      for (std::size_t s = 0; s < sides_; ++s) {
        for (std::size_t j = i + 1; j < unknowns_; ++j)
          right_[i * sides_ + s] -= matrix_[i * unknowns_ + j] * right_[j * sides_ + s];
        right_[i * sides_ + s] /= matrix_[i * unknowns_ + i];
      }
  }
  double solution(std::size_t unknown, std::size_t side) const { return right_[unknown * sides_ + side]; }

 private:
  std::size_t unknowns_;
  std::size_t sides_;
  std::vector<double> matrix_;
  std::vector<double> right_;
};

}  // namespace gpz::cpu
