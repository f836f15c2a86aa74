// SPDX-License-Identifier: BSD-3-Clause
// The mathematics of fits: roots, logarithms, least squares.
#include "gpz/crystal/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gpz/codec/functions.hpp"
#include "gpz/kernels/normal.hpp"

namespace gpz::crystal::least_squares_test {
namespace {

TEST(Functions, AreThoseOfMathematics) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(-60, 200);
  for (int k = 0; k < 2000; ++k) {
    const double x = std::exp2(exponent(random));
    EXPECT_NEAR(codec::log2_of(x), std::log2(x), 1e-13 * std::max(1.0, std::fabs(std::log2(x)))) << x;
    for (const int degree : {1, 2, 3, 13})
      EXPECT_NEAR(codec::root_of(x, degree) / std::pow(x, 1.0 / degree), 1, 1e-13) << x << ' ' << degree;
  }
}

TEST(Functions, NormalDistribution) {
  for (double x = -9; x <= 9; x += 0.01)
    EXPECT_NEAR(core::normal_below(x), 0.5 * std::erfc(-x / std::sqrt(2.0)), 2e-7) << x;
}

TEST(Functions, AreExactAtPowersOfTwo) {
  for (int k = -40; k <= 40; ++k) {
    EXPECT_EQ(codec::log2_of(std::ldexp(1, k)), k);
    EXPECT_EQ(codec::root_of(std::ldexp(1, 3 * k), 3), std::ldexp(1, k));
  }
}

TEST(LeastSquares, FindsWhatMadeTheTargets) {
  constexpr std::size_t unknowns = 5;
  constexpr std::size_t sides = 3;
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  double truth[unknowns * sides];
  for (double &x : truth) x = normal(random);
  LeastSquares equations(unknowns, sides);
  LeastSquares first(unknowns);
  for (int row = 0; row < 200; ++row) {
    double feature[unknowns];
    double target[sides] = {};
    for (double &x : feature) x = normal(random);
    feature[row % unknowns] = 0;
    for (std::size_t k = 0; k < unknowns; ++k)
      for (std::size_t s = 0; s < sides; ++s) target[s] += feature[k] * truth[k * sides + s];
    equations.add(feature, target);
    first.add(feature, target[0]);
  }
  EXPECT_EQ(equations.count(), 200U);
  const std::vector<double> solution = equations.solve(1e-12);
  const std::vector<double> alone = first.solve(1e-12);
  for (std::size_t k = 0; k < unknowns; ++k) {
    for (std::size_t s = 0; s < sides; ++s) EXPECT_NEAR(solution[k * sides + s], truth[k * sides + s], 1e-9);
    EXPECT_EQ(alone[k], solution[k * sides]);
  }
  EXPECT_NEAR(equations.squares_left(solution), 0, 1e-6);
  EXPECT_GT(equations.squares_left(std::vector<double>(unknowns * sides)), 100);
}

TEST(LeastSquares, LeavesOutTheLastUnknowns) {
  LeastSquares equations(2);
  const double rows[3][3] = {{1, 0, 2}, {0, 1, 5}, {1, 0, 4}};
  for (const auto &row : rows) equations.add(row, row[2]);
  const std::vector<double> solution = equations.solve(0, 1);
  EXPECT_NEAR(solution[0], 3, 1e-8);
  EXPECT_EQ(solution[1], 0);
  EXPECT_NEAR(equations.squares_left(solution), 27, 1e-6);                  // 1 + 25 + 1
  EXPECT_NEAR(equations.gain(solution), 0.5 * std::log2(45.0 / 27), 1e-7);  // of 4 + 25 + 16
}

TEST(LeastSquares, FeaturesThatFollowFromOthersDoNoHarm) {
  LeastSquares equations(3);
  for (int k = 1; k <= 10; ++k) {
    const double feature[] = {1.0 * k, 2.0 * k, 0};
    equations.add(feature, 5.0 * k);
  }
  const std::vector<double> solution = equations.solve(1e-9);
  EXPECT_NEAR(solution[0] + 2 * solution[1], 5, 1e-5);
  EXPECT_EQ(solution[2], 0);
}

}  // namespace
}  // namespace gpz::crystal::least_squares_test
