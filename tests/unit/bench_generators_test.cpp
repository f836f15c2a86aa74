// SPDX-License-Identifier: BSD-3-Clause
// The generators of gpz bench: the same points everywhere, of the shape and in the order that they promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>

#include "bench/cloud_source.hpp"
#include "bench/generators.hpp"
#include "bench/random.hpp"
#include "bench/snapshot.hpp"

namespace gpz::bench::bench_generators_test {
namespace {

// FNV-1a of the bytes of all coordinates as f64, x y z of one particle after the other.
std::uint64_t digest(const Cloud &cloud) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (std::size_t i = 0; i < cloud.particles(); ++i)
    for (int d = 0; d < cloud.components(); ++d) {
      const double value = cloud.get(i, d);
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (bits >> (8 * byte) & 0xFF)) * 0x100000001B3u;
    }
  return hash;
}

Cloud made(const std::string &name, std::size_t particles, std::uint64_t seed = 1, ValueType type = ValueType::float64,
           Layout layout = Layout::aos) {
  for (const Generator &generator : generators())
    if (generator.name == name) return generator.generate({particles, type, layout}, seed);
  ADD_FAILURE() << "no generator " << name;
  return {};
}

// Mean distance along an axis between particles that follow each other, as a fraction of the extent.
double step_in_memory(const Cloud &cloud, int d) {
  double sum = 0;
  for (std::size_t i = 1; i < cloud.particles(); ++i) sum += std::fabs(cloud.get(i, d) - cloud.get(i - 1, d));
  return sum / static_cast<double>(cloud.particles() - 1) / cloud.extents()[static_cast<std::size_t>(d)];
}

// The published sequence of xoshiro256** from the state that SplitMix64 makes of seed 0.
TEST(BenchRandom, IsXoshiro256StarStar) {
  Random random(0);
  EXPECT_EQ(random.bits(), 0x99EC5F36CB75F2B4u);
  EXPECT_EQ(random.bits(), 0xBF6E1F784956452Au);
  EXPECT_EQ(random.bits(), 0x1A5F849D4933E6E0u);
}

TEST(BenchRandom, DirectionsHaveLengthOneAndNoFavourite) {
  Random random(5);
  double sum[5] = {};
  for (int k = 0; k < 20000; ++k) {
    const auto circle = random.on_circle();
    const auto sphere = random.on_sphere();
    EXPECT_NEAR(circle[0] * circle[0] + circle[1] * circle[1], 1, 1e-12);
    EXPECT_NEAR(sphere[0] * sphere[0] + sphere[1] * sphere[1] + sphere[2] * sphere[2], 1, 1e-12);
    for (std::size_t d = 0; d < 2; ++d) sum[d] += circle[d];
    for (std::size_t d = 0; d < 3; ++d) sum[2 + d] += sphere[d];
  }
  for (const double s : sum) EXPECT_LT(std::fabs(s), 500);
}

TEST(BenchGenerators, ValuesArePinned) {
  EXPECT_EQ(digest(made("melt", 5000)), 0x72932FD42AEAA4E7u);
  EXPECT_EQ(digest(made("uniform", 5000)), 0x2CE280307C95609Du);
  EXPECT_EQ(digest(made("clustered", 5000)), 0xB8F5D8FC78E5813Cu);
  EXPECT_EQ(digest(made("terrain", 5000)), 0x239EBD67448928ADu);
  EXPECT_EQ(digest(made("orbits", 5000)), 0x0BA483C9B178CF3Cu);
}

TEST(BenchGenerators, TypeAndLayoutDoNotChangeThePoints) {
  for (const Generator &generator : generators()) {
    const Cloud wide = made(generator.name, 3000);
    for (const Layout layout : {Layout::aos, Layout::soa}) {
      const Cloud narrow = made(generator.name, 3000, 1, ValueType::float32, layout);
      EXPECT_EQ(digest(narrow), digest(wide.converted(ValueType::float32, Layout::aos))) << generator.name;
      EXPECT_EQ(digest(made(generator.name, 3000, 1, ValueType::float64, layout)), digest(wide)) << generator.name;
    }
    EXPECT_NE(digest(made(generator.name, 3000, 2)), digest(wide)) << generator.name;
  }
}

TEST(BenchGenerators, AnyNumberOfParticles) {
  for (const Generator &generator : generators())
    for (const std::size_t particles : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{1023}}) {
      const Cloud cloud = made(generator.name, particles);
      EXPECT_EQ(cloud.particles(), particles) << generator.name;
      for (std::size_t i = 0; i < particles; ++i)
        for (int d = 0; d < cloud.components(); ++d) EXPECT_TRUE(std::isfinite(cloud.get(i, d))) << generator.name;
    }
}

TEST(BenchGenerators, MeltHasFourParticlesInEachCell) {
  const Cloud cloud = made("melt", 4 * 6 * 6 * 6);
  for (std::size_t i = 0; i < cloud.particles(); ++i) {
    const std::size_t cell = i / 4;
    const std::size_t at[3] = {cell % 6, cell / 6 % 6, cell / 36};
    for (int d = 0; d < 3; ++d)
      EXPECT_EQ(std::floor(cloud.get(i, d) / 1.68), static_cast<double>(at[d])) << "particle " << i;
  }
}

TEST(BenchGenerators, UniformFillsItsCubeInNoOrder) {
  const Cloud cloud = made("uniform", 20000);
  for (int d = 0; d < 3; ++d) {
    EXPECT_NEAR(cloud.extents()[static_cast<std::size_t>(d)], 100, 0.1);
    EXPECT_NEAR(step_in_memory(cloud, d), 1.0 / 3, 0.01);  // mean distance of two random numbers
  }
}

TEST(BenchGenerators, ClusteredIsDenseInPlacesAndInCellOrder) {
  constexpr std::size_t particles = 50000;
  const Cloud cloud = made("clustered", particles);
  std::vector<int> counts(32 * 32 * 32);
  for (std::size_t i = 0; i < particles; ++i) {
    std::size_t cell = 0;
    for (int d = 0; d < 3; ++d) {
      const double x = cloud.get(i, d);
      ASSERT_TRUE(x >= 0 && x < 256);
      cell = cell * 32 + static_cast<std::size_t>(x / 8);
    }
    ++counts[cell];
  }
  // Poisson noise around the mean of 1.5 would give 12 at most.
  EXPECT_GT(*std::max_element(counts.begin(), counts.end()), 200);
  EXPECT_GT(std::count(counts.begin(), counts.end(), 0), 8000);
  // 11^3 cells of at least 32 particles.
  double before = 0;
  for (std::size_t i = 0; i < particles; ++i) {
    double cell = 0;
    for (int d = 2; d >= 0; --d) cell = cell * 11 + std::floor(cloud.get(i, d) / 256 * 11);
    ASSERT_GE(cell, before) << "particle " << i;
    before = cell;
  }
}

TEST(BenchGenerators, TerrainFollowsScanLines) {
  const Cloud cloud = made("terrain", 100000);
  for (std::size_t line = 0; line < 3; ++line)
    for (std::size_t k = 1; k < 1000; ++k) {
      const double moved = cloud.get(line * 1000 + k, 0) - cloud.get(line * 1000 + k - 1, 0);
      EXPECT_NEAR(moved, line % 2 == 0 ? 0.5 : -0.5, 0.11);
    }
  // Ground and vegetation: neighbours are at most a little apart, or a tree.
  EXPECT_LT(cloud.extents()[2], 430);
  EXPECT_GT(cloud.extents()[2], 20);
}

TEST(BenchGenerators, OrbitsGrowOutwards) {
  const Cloud cloud = made("orbits", 10000);
  EXPECT_EQ(cloud.components(), 2);
  for (std::size_t i = 0; i < cloud.particles(); ++i) {
    const double radius = std::hypot(cloud.get(i, 0), cloud.get(i, 1));
    const double axis = 0.4 + 29.6 * (static_cast<double>(i) + 0.5) / 10000;
    EXPECT_LT(std::fabs(radius / axis - 1), 0.11) << "body " << i;
  }
}

TEST(BenchSnapshot, IdsAreAPermutationAndTypesAreThree) {
  const auto ids = shuffled_ids(5000, 3);
  EXPECT_EQ(std::set<std::int32_t>(ids.begin(), ids.end()).size(), 5000u);
  EXPECT_EQ(*std::min_element(ids.begin(), ids.end()), 1);
  EXPECT_EQ(*std::max_element(ids.begin(), ids.end()), 5000);
  EXPECT_FALSE(std::is_sorted(ids.begin(), ids.end()));
  const auto types = random_types(5000, 3);
  EXPECT_EQ(std::set<std::int32_t>(types.begin(), types.end()), (std::set<std::int32_t>{1, 2, 3}));
}

TEST(BenchSource, TilesKeepTheirOrderAndAreShifted) {
  for (const Layout layout : {Layout::aos, Layout::soa}) {
    const Cloud cloud = made("uniform", 7, 1, ValueType::float64, layout);
    const Cloud all = tiled(cloud, {2, 3, 2}, {100, 200, 400});
    ASSERT_EQ(all.particles(), 7u * 12);
    EXPECT_EQ(all.layout(), layout);
    for (std::size_t t = 0; t < 12; ++t) {
      const std::size_t tile[3] = {t % 2, t / 2 % 3, t / 6};
      const double edge[3] = {100, 200, 400};
      for (std::size_t i = 0; i < 7; ++i)
        for (int d = 0; d < 3; ++d)
          EXPECT_EQ(all.get(7 * t + i, d), cloud.get(i, d) + edge[d] * static_cast<double>(tile[d]));
    }
  }
}

}  // namespace
}  // namespace gpz::bench::bench_generators_test
