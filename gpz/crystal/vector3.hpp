// SPDX-License-Identifier: BSD-3-Clause
// Vectors of three components, and the cells of a crystal, for encoders. Operations have a fixed order, so results have
// the same bits on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "gpz/core/quantize.hpp"

namespace gpz::crystal {

using Vector3 = std::array<double, 3>;

GPZ_HD Vector3 operator-(const Vector3 &a, const Vector3 &b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
GPZ_HD Vector3 operator+(const Vector3 &a, const Vector3 &b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
GPZ_HD Vector3 operator*(double f, const Vector3 &a) { return {f * a[0], f * a[1], f * a[2]}; }
inline double dot(const Vector3 &a, const Vector3 &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline double squared(const Vector3 &a) { return dot(a, a); }
inline Vector3 cross(const Vector3 &a, const Vector3 &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vector3 &a) { return std::sqrt(squared(a)); }
// Rounds to the nearest integer; the magnitude has to be below 2^51.
GPZ_HD double nearest(double x) { return (x + core::rounding_magic) - core::rounding_magic; }
inline Vector3 nearest(const Vector3 &a) { return {nearest(a[0]), nearest(a[1]), nearest(a[2])}; }

// Median: element n / 2 of the n > 0 values in ascending order. Reorders the values.
template <typename T>
T median(std::vector<T> &values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Vectors from particles to their neighbours.
struct NeighbourVectors {
  std::vector<Vector3> all;
  std::size_t particles = 0;  // the vectors start from this many particles

  // Sum and number of the vectors within a distance of a centre, which is given squared.
  struct Cluster {
    Vector3 sum{};
    std::size_t count = 0;
  };
  Cluster around(const Vector3 &centre, double squared_distance) const {
    Cluster cluster;
    for (const Vector3 &vector : all) {
      if (squared(vector - centre) > squared_distance) continue;
      cluster.sum = cluster.sum + vector;
      ++cluster.count;
    }
    return cluster;
  }
};

// Coordinates in units of three linearly independent edges.
class CellCoordinates {
 public:
  explicit CellCoordinates(const std::array<Vector3, 3> &edges) : edges_(edges) {
    const double volume = dot(edges[0], cross(edges[1], edges[2]));
    rows_ = {1 / volume * cross(edges[1], edges[2]), 1 / volume * cross(edges[2], edges[0]),
             1 / volume * cross(edges[0], edges[1])};
  }
  Vector3 fractional(const Vector3 &x) const { return {dot(rows_[0], x), dot(rows_[1], x), dot(rows_[2], x)}; }
  Vector3 position(const Vector3 &u) const { return u[0] * edges_[0] + u[1] * edges_[1] + u[2] * edges_[2]; }

  // Nearest corner of a cell, and the vector from it.
  struct Corner {
    Vector3 cell{};
    Vector3 off{};
  };
  Corner nearest_corner(const Vector3 &x) const {
    const Vector3 u = fractional(x);
    const Vector3 cell = nearest(u);
    return {cell, position(u - cell)};
  }

  // Nearest site of a lattice with one site in each cell for each of these origins.
  struct Site {
    std::size_t sublattice = 0;
    Vector3 cell{};
    double squared_distance = HUGE_VAL;
  };
  Site nearest_site(const std::vector<Vector3> &origins, const Vector3 &x) const {
    Site site;
    for (std::size_t s = 0; s < origins.size(); ++s) {
      const Corner corner = nearest_corner(x - origins[s]);
      const double distance = squared(corner.off);
      if (distance < site.squared_distance) site = {s, corner.cell, distance};
    }
    return site;
  }

 private:
  std::array<Vector3, 3> edges_;
  std::array<Vector3, 3> rows_{};
};

}  // namespace gpz::crystal
