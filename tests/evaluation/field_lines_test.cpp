// SPDX-License-Identifier: BSD-3-Clause
// The field lines from which Poincare points are made: laws that their map has to keep.
#include "field_lines.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "random.hpp"

namespace field_lines_test {
namespace {

using gpz::bench::data::FieldLines;
using gpz::bench::data::Puncture;

double around(double angle) { return std::remainder(angle, 2 * M_PI); }

// Change of what `along` moves, by differences of sixth order.
template <typename Move>
Puncture slope(const FieldLines &lines, const Move &move) {
  constexpr double h = 1e-3;
  constexpr double weights[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
  Puncture sum{0, 0};
  for (int i = 1; i <= 3; ++i) {
    const Puncture up = lines.turn(move(i * h));
    const Puncture down = lines.turn(move(-i * h));
    sum.flux += weights[i - 1] * (up.flux - down.flux) / h;
    sum.angle += weights[i - 1] * around(up.angle - down.angle) / h;
  }
  return sum;
}

TEST(BenchFieldLines, PreserveArea) {
  const FieldLines lines(1);
  gpz::bench::data::Random random(3);
  for (int i = 0; i < 200; ++i) {
    const Puncture at{random.uniform(0.1, 1), random.uniform(-M_PI, M_PI)};
    const Puncture by_flux = slope(lines, [&](double d) { return Puncture{at.flux + d, at.angle}; });
    const Puncture by_angle = slope(lines, [&](double d) { return Puncture{at.flux, at.angle + d}; });
    EXPECT_NEAR(by_flux.flux * by_angle.angle - by_flux.angle * by_angle.flux, 1, 1e-9) << at.flux << " " << at.angle;
  }
}

TEST(BenchFieldLines, StayOnTheirSurfaceIfNothingPerturbsThem) {
  const FieldLines lines(0);
  for (const double flux : {0.01, 0.3, 0.77, 1.0}) {
    Puncture at{flux, 0.5};
    for (int i = 1; i <= 1000; ++i) {
      at = lines.turn(at);
      ASSERT_EQ(at.flux, flux);
      ASSERT_NEAR(around(at.angle - 0.5 - 2 * M_PI * i / FieldLines::safety_factor(flux)), 0, 1e-9);
    }
  }
}

// Greatest less smallest flux of a line.
double width(const FieldLines &lines, Puncture at) {
  double low = at.flux;
  double high = at.flux;
  for (int i = 0; i < 4000 && at.flux < 1; ++i) {
    at = lines.turn(at);
    low = std::fmin(low, at.flux);
    high = std::fmax(high, at.flux);
  }
  return high - low;
}

double widest(double flux) {
  const FieldLines lines(1);
  double result = 0;
  for (int i = 0; i < 16; ++i) result = std::fmax(result, width(lines, {flux, 2 * M_PI * i / 16}));
  return result;
}

TEST(BenchFieldLines, MakeSurfacesIslandsAndChaos) {
  EXPECT_LT(widest(0.1), 0.02);    // a surface of the core
  EXPECT_GT(widest(0.473), 0.06);  // q = 2: an island
  EXPECT_LT(widest(0.473), 0.12);
  EXPECT_GT(widest(0.9), 0.15);  // islands of several q overlap
}

}  // namespace
}  // namespace field_lines_test
