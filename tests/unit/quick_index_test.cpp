// SPDX-License-Identifier: BSD-3-Clause
// Grid indices in float arithmetic: whatever they are certain of is what quantize() finds.
#include "gpz/cuda/block/quick_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "codec_support.hpp"
#include "gpz/core/quantize.hpp"

namespace gpz::test::quick_index_test {
namespace {

core::Grid grid_of_bound(double bound) {
  core::Grid grid;
  grid.bound = bound;
  grid.step = core::step_for_bound(bound, core::Value::float32);
  grid.inverse_step = 1.0 / grid.step;
  return grid;
}

double random_bound(Random &random) { return std::exp2(random.uniform(-20.0, 20.0)); }

// A float at an edge between two cells, or at most a few floats off it: the values that float arithmetic has to leave.
float near_edge(Random &random, const core::Grid &grid, std::uint32_t reach) {
  const double index = std::floor(random.uniform(-1.0, 1.0) * static_cast<double>(reach));
  auto x = static_cast<float>((index + 0.5) * grid.step);
  const std::uint64_t steps = random.below(4);
  const float to = random.below(2) == 0 ? INFINITY : -INFINITY;
  for (std::uint64_t k = 0; k < steps; ++k) x = std::nextafter(x, to);
  return x;
}

TEST(QuickIndex, IsThatOfQuantizeWhereItIsCertain) {
  Random random(41);
  int certain_values = 0;
  int wrong_values = 0;
  for (int round = 0; round < 3000; ++round) {
    const core::Grid grid = grid_of_bound(random_bound(random));
    const core::QuickGrid quick(grid);
    const auto reach = static_cast<std::uint32_t>(std::exp2(random.uniform(1.0, 22.0)));
    const double error = grid.bound * (random.below(3) == 0 ? random.uniform(0.0, 1.0) : 1.0);
    const float certain = quick.certain(error, reach);
    for (int k = 0; k < 300; ++k) {
      const float x = random.below(3) == 0
                          ? near_edge(random, grid, reach)
                          : static_cast<float>(random.uniform(-1.0, 1.0) * static_cast<double>(reach) * grid.step);
      const core::Quantized<float> exact = core::quantize(x, grid);
      const core::QuickIndex found = quick(x);
      const std::int32_t index = core::quick_index(core::bit_cast<std::int32_t>(found.shifted));
      if (std::abs(exact.index) > static_cast<std::int64_t>(reach)) continue;
      ASSERT_LE(std::fabs(found.fraction), 0.5F);
      wrong_values += index != exact.index ? 1 : 0;
      if (std::fabs(found.fraction) > certain) continue;
      ++certain_values;
      ASSERT_EQ(index, exact.index) << x << " step " << grid.step;
      ASSERT_LE(static_cast<double>(exact.error), error) << x << " step " << grid.step << " reach " << reach;
    }
  }
  // Both kinds have been there.
  EXPECT_GT(certain_values, 100000);
  EXPECT_GT(wrong_values, 100);
}

// Nearly all values of usual blocks are certain, or there would be no point.
TEST(QuickIndex, IsCertainOfNearlyAllValues) {
  Random random(42);
  const core::Grid grid = grid_of_bound(0.0672);
  const core::QuickGrid quick(grid);
  constexpr std::uint32_t reach = 5000;
  const float certain = quick.certain(grid.bound, reach);
  int uncertain = 0;
  constexpr int values = 100000;
  for (int k = 0; k < values; ++k) {
    const auto x = static_cast<float>(random.uniform(-1.0, 1.0) * reach * grid.step);
    uncertain += std::fabs(quick(x).fraction) > certain ? 1 : 0;
  }
  EXPECT_LT(uncertain, values / 200);
}

// The bits of `shifted` ascend with the values, so that the range of the extremes is that of all.
TEST(QuickIndex, KnowsItsRange) {
  const core::Grid grid = grid_of_bound(1.0);
  const core::QuickGrid quick(grid);
  const auto in_range = [&](float x) {
    const std::int32_t bits = core::bit_cast<std::int32_t>(quick(x).shifted);
    return core::quick_in_range(bits, bits);
  };
  Random random(43);
  for (int k = 0; k < 20000; ++k) {
    const double index = std::exp2(random.uniform(20.0, 24.0)) * (random.below(2) == 0 ? 1 : -1);
    const auto x = static_cast<float>(index * grid.step);
    const std::int64_t exact = core::quantize(x, grid).index;
    EXPECT_EQ(in_range(x), std::abs(exact) <= core::quick_reach) << x;
  }
  for (const float x : {INFINITY, -INFINITY, std::nanf(""), -std::nanf(""), 3e38F, -3e38F}) EXPECT_FALSE(in_range(x));
  for (const float x : {0.0F, -0.0F, 1e-40F, -1e-40F}) EXPECT_TRUE(in_range(x));
}

// A grid whose values may be subnormal or overflow is left alone.
TEST(QuickIndex, IsNotForExtremeSteps) {
  for (const double bound : {1e-40, 1e-35, 1e35})
    EXPECT_LT(core::QuickGrid(grid_of_bound(bound)).certain(bound, 10), 0) << bound;
}

}  // namespace
}  // namespace gpz::test::quick_index_test
