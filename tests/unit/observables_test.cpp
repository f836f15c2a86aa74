// SPDX-License-Identifier: BSD-3-Clause
// Radial distribution function and mean square displacement against what is known in closed form.
#include "observables.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <stdexcept>

namespace gpz::bench::observables_test {
namespace {

std::vector<Point> ideal_gas(std::size_t particles, const PeriodicBox &box, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Point> points(particles);
  for (Point &point : points)
    for (std::size_t d = 0; d < 3; ++d)
      point[d] = box.origin[d] + box.edges[d] * std::generate_canonical<double, 53>(random);
  return points;
}

// Edges of two cells, three, and many.
TEST(RadialDistribution, AnIdealGasHasNoStructure) {
  const PeriodicBox box{{-3, 10, 0}, {4.1, 7, 40}};
  RadialDistribution radial(2, 10);
  constexpr std::size_t n = 4000;
  for (unsigned frame = 0; frame < 5; ++frame) radial.add(ideal_gas(n, box, frame), box);
  const auto g = radial.g();
  const auto r = radial.radii();
  for (std::size_t bin = 0; bin < g.size(); ++bin) {
    const double shell = 4 * 3.14159265 * r[bin] * r[bin] * 0.2 / (4.1 * 7 * 40);
    const double pairs = 2.5 * n * (n - 1) * shell;
    EXPECT_NEAR(g[bin], 1, 5 / std::sqrt(pairs)) << r[bin];
  }
}

TEST(RadialDistribution, PairsAreThoseOfAllPairsTried) {
  const PeriodicBox box{{0, 0, 0}, {9, 12, 15}};
  auto points = ideal_gas(300, box, 1);
  RadialDistribution radial(3, 6);
  radial.add(points, box);
  std::vector<double> pairs(6);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      double squared = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        const double x = std::remainder(points[i][d] - points[j][d], box.edges[d]);
        squared += x * x;
      }
      if (squared < 9) ++pairs[static_cast<std::size_t>(2 * std::sqrt(squared))];
    }
  for (std::size_t bin = 0; bin < 6; ++bin) {
    const auto b = static_cast<double>(bin);
    const double shell = 4 * 3.14159265358979 / 3 * (std::pow((b + 1) / 2, 3) - std::pow(b / 2, 3));
    EXPECT_NEAR(radial.g()[bin] * 300 * 299 / 2 * shell / (9 * 12 * 15), pairs[bin], 1e-6) << bin;
  }
  // Images of the points are the same points.
  for (std::size_t i = 0; i < points.size(); ++i) points[i][i % 3] += box.edges[i % 3] * (i % 2 ? 1.0 : -2.0);
  RadialDistribution moved(3, 6);
  moved.add(points, box);
  EXPECT_EQ(moved.g(), radial.g());
}

TEST(RadialDistribution, ACrystalHasItsShells) {
  const PeriodicBox box{{0, 0, 0}, {6, 6, 6}};
  std::vector<Point> points(216);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t d = 0, rest = i; d < 3; ++d, rest /= 6) points[i][d] = static_cast<double>(rest % 6) + 0.5;
  RadialDistribution radial(2.1, 20);
  radial.add(points, box);
  const auto g = radial.g();
  // Neighbours of a simple cubic lattice: 6 at 1, 12 at sqrt 2, 8 at sqrt 3, 6 at 2.
  const std::map<std::size_t, double> neighbours = {{9, 6}, {13, 12}, {16, 8}, {19, 6}};
  for (std::size_t bin = 0; bin < g.size(); ++bin) {
    const auto at = static_cast<double>(bin);
    const double shell = 4 * 3.14159265358979 / 3 * (std::pow((at + 1) * 0.105, 3) - std::pow(at * 0.105, 3));
    const auto found = neighbours.find(bin);
    EXPECT_NEAR(g[bin] * shell * 215 / 216, found == neighbours.end() ? 0 : found->second, 1e-6) << bin;
  }
}

TEST(RadialDistribution, ARangeBeyondHalfOfTheBoxIsRefused) {
  RadialDistribution radial(2, 10);
  EXPECT_THROW(radial.add({}, {{0, 0, 0}, {10, 3.9, 10}}), std::invalid_argument);
}

TEST(MeanSquareDisplacement, OfADrift) {
  std::vector<Point> first = {{0, 0, 0}, {1, 2, 3}, {-4, 5, 6}};
  auto now = first;
  for (Point &point : now) {
    point[0] += 3;
    point[2] -= 4;
  }
  EXPECT_EQ(mean_square_displacement(first, now), 25);
  EXPECT_EQ(mean_square_displacement(first, first), 0);
  now.pop_back();
  EXPECT_THROW(mean_square_displacement(first, now), std::invalid_argument);
}

TEST(LargestDifference, IsRelativeOnlyWhereTheReferenceIsNotSmall) {
  const auto found = largest_difference({5, 1.1, 1.5, 4}, {0.01, 1, 2, 4}, 0.1);
  EXPECT_EQ(found.relative, 0.25);
  EXPECT_EQ(found.at, 2U);
  EXPECT_EQ(found.absolute, 4.99);
  EXPECT_EQ(largest_difference({1, 2}, {1, 2}, 0.1).absolute, 0);
}

}  // namespace
}  // namespace gpz::bench::observables_test
