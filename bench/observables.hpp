// SPDX-License-Identifier: BSD-3-Clause
// Observables computed from trajectories: how particles are arranged, and how far they move.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpz::bench {

using Point = std::array<double, 3>;

// An orthogonal box, periodic along all axes.
struct PeriodicBox {
  Point origin;
  Point edges;
};

// The radial distribution function g(r) of all pairs, averaged over frames.
class RadialDistribution {
 public:
  // Bins of equal width from 0 to `range` (distance units).
  RadialDistribution(double range, std::size_t bins);

  // Adds a frame. Points may lie outside of the box. Throws std::invalid_argument if an edge is shorter than twice the
  // range.
  void add(const std::vector<Point> &points, const PeriodicBox &box);

  std::vector<double> radii() const;  // centres of the bins
  std::vector<double> g() const;      // pairs over those of an ideal gas of that density

 private:
  double range_;
  std::vector<std::uint64_t> pairs_;
  std::vector<double> ideal_;
};

// The mean of |now - first|^2; the two have the same particles in the same order.
double mean_square_displacement(const std::vector<Point> &first, const std::vector<Point> &now);

struct Difference {
  double absolute = 0;  // the largest of all entries
  double relative = 0;  // the largest of the entries whose reference is at least `least`, over that reference
  std::size_t at = 0;   // where the relative one is
};
// least > 0.
Difference largest_difference(const std::vector<double> &values, const std::vector<double> &reference, double least);

}  // namespace gpz::bench
