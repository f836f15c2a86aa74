// SPDX-License-Identifier: BSD-3-Clause
// The particle-mesh simulation that makes cosmological data, against linear theory and conservation laws.
#include "nbody.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace nbody_test {
namespace {

using namespace gpz::bench::data;  // NOLINT(google-build-using-namespace): the tests are of that library

Settings small_settings() {
  Settings run;
  run.size = 32;
  run.mesh = 64;
  run.box = 200;
  run.threads = 2;
  return run;
}

// How far a particle is from its place in the initial grid, in cells of the mesh.
double moved(const Settings &run, const Particles &particles, std::size_t axis, std::size_t i) {
  const std::size_t index = axis == 0 ? i % run.size : axis == 1 ? i / run.size % run.size : i / run.size / run.size;
  const auto cells = static_cast<double>(run.mesh);
  const double place = static_cast<double>(index) * cells / static_cast<double>(run.size) + 0.5;
  return std::remainder(particles.position[axis][i] - place, cells);
}

// By how much the displacements have grown from `before` to `after`.
double growth(const Settings &run, const Particles &before, const Particles &after) {
  double product = 0;
  double square = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t i = 0; i < before.size(); ++i) {
      const double from = moved(run, before, axis, i);
      product += from * moved(run, after, axis, i);
      square += from * from;
    }
  return product / square;
}

TEST(BenchUniverse, GrowsAsKnown) {
  Universe empty_of_lambda;
  empty_of_lambda.matter = 1;  // Einstein and de Sitter: growth is a
  EXPECT_NEAR(empty_of_lambda.growth(0.02), 0.02, 1e-6);
  EXPECT_NEAR(empty_of_lambda.growth_rate(0.3), 1, 1e-6);
  EXPECT_NEAR(empty_of_lambda.drift(0.25, 1), 2, 1e-6);  // the integral of a^(-3/2)
  EXPECT_NEAR(empty_of_lambda.kick(0.25, 1), 1, 1e-6);   // of a^(-1/2)
  const Universe universe;
  EXPECT_NEAR(universe.growth_rate(1), std::pow(universe.matter, 0.55), 0.01);  // Linder (2005)
  EXPECT_NEAR(universe.growth_rate(1), std::log(universe.growth(1.001) / universe.growth(0.999)) / 0.002, 1e-4);
}

TEST(BenchNbody, SmallPerturbationsGrowAsInLinearTheory) {
  for (const double matter : {1.0, 0.31}) {
    Universe universe;
    universe.matter = matter;
    universe.sigma8 = 0.02;
    const Settings run = small_settings();
    const Particles before = zeldovich(universe, run);
    Particles after = before;
    simulate(universe, run, after);
    const double expected = universe.growth(1) / universe.growth(run.start);
    EXPECT_NEAR(growth(run, before, after) / expected, 1, 0.03) << matter;
  }
}

// The waves of the displacements along x, those between a half and three quarters of the shortest that the grid has.
TEST(BenchNbody, BeginsWithThePowerSpectrum) {
  const Universe universe;
  Settings run = small_settings();
  run.size = 64;
  run.mesh = 64;
  const Particles particles = zeldovich(universe, run);
  const std::size_t n = run.size;
  const Fft fft(n, n, n, 2);
  std::vector<float> waves(fft.size());
  const double cell = run.box / static_cast<double>(n);
  for (std::size_t i = 0; i < particles.size(); ++i)
    waves[i / n * fft.row() + i % n] = static_cast<float>(moved(run, particles, 0, i) * cell);
  fft.forward(waves.data());
  const PowerSpectrum power(universe);
  const double growth = universe.growth(run.start);
  const double normal = std::pow(cell, 3) / std::pow(static_cast<double>(n), 3) / (growth * growth);
  const double half = M_PI / cell;  // the shortest wave
  double found = 0;
  double expected = 0;
  for (std::size_t z = 0; z < n; ++z)
    for (std::size_t y = 0; y < n; ++y)
      for (std::size_t x = 1; x < n / 2; ++x) {
        const double unit = 2 * M_PI / run.box;
        const auto signed_index = [&](std::size_t k) {
          return static_cast<double>(k) - (k > n / 2 ? static_cast<double>(n) : 0.0);
        };
        const double kx = unit * static_cast<double>(x);
        const double square = kx * kx + std::pow(unit * signed_index(y), 2) + std::pow(unit * signed_index(z), 2);
        const double k = std::sqrt(square);
        if (k < half / 2 || k > half * 3 / 4) continue;
        const float *pair = &waves[(z * n + y) * fft.row() + 2 * x];
        const double overdensity = (pair[0] * pair[0] + pair[1] * pair[1]) * square * square / (kx * kx);
        found += overdensity * normal / power(k);
        ++expected;
      }
  EXPECT_GT(expected, 10000);
  EXPECT_NEAR(found / expected, 1, 0.05);
}

TEST(BenchNbody, KeepsMomentumAndClusters) {
  Settings run = small_settings();
  run.box = 32;
  Particles particles = zeldovich(Universe(), run);
  simulate(Universe(), run, particles);
  for (const std::vector<float> &momentum : particles.momentum) {
    double sum = 0;
    double size = 0;
    for (const float p : momentum) {
      sum += p;
      size += std::abs(p);
    }
    EXPECT_LT(std::abs(sum), 1e-3 * size);
  }
  // A random cell of the mesh's size times four holds 8 particles; that of a halo many times as many.
  std::vector<int> counts(16 * 16 * 16);
  int most = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    std::size_t cell = 0;
    for (const std::vector<float> &position : particles.position) {
      ASSERT_GE(position[i], 0);
      ASSERT_LT(position[i], 64);
      cell = cell * 16 + static_cast<std::size_t>(position[i]) / 4;
    }
    most = std::max(most, ++counts[cell]);
  }
  EXPECT_GT(most, 400);
}

TEST(BenchNbody, HasTheSameBytesForAnyNumberOfThreads) {
  Settings run = small_settings();
  run.box = 32;
  run.steps = 8;
  std::vector<Particles> results;
  for (const unsigned threads : {1u, 3u}) {
    run.threads = threads;
    results.push_back(zeldovich(Universe(), run));
    simulate(Universe(), run, results.back());
  }
  EXPECT_EQ(results[0].position, results[1].position);
  EXPECT_EQ(results[0].momentum, results[1].momentum);
}

}  // namespace
}  // namespace nbody_test
