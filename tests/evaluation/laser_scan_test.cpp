// SPDX-License-Identifier: BSD-3-Clause
// The random numbers of the data, and the laser scan: the same points everywhere, in the order that it promises.
#include "laser_scan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "random.hpp"

namespace gpz::bench::data::laser_scan_test {
namespace {

// The published sequence of xoshiro256** from the state that SplitMix64 makes of seed 0.
TEST(Random, IsXoshiro256StarStar) {
  Random random(0);
  EXPECT_EQ(random.bits(), 0x99EC5F36CB75F2B4u);
  EXPECT_EQ(random.bits(), 0xBF6E1F784956452Au);
  EXPECT_EQ(random.bits(), 0x1A5F849D4933E6E0u);
}

// FNV-1a of the bytes of all coordinates.
std::uint64_t digest(const std::vector<std::array<double, 3>> &points) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const auto &point : points)
    for (const double value : point) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (bits >> (8 * byte) & 0xFF)) * 0x100000001B3u;
    }
  return hash;
}

TEST(LaserScan, ValuesArePinned) {
  EXPECT_EQ(digest(laser_scan(5000, 1)), 0x239EBD67448928ADu);
  EXPECT_NE(digest(laser_scan(5000, 2)), 0x239EBD67448928ADu);
  EXPECT_TRUE(laser_scan(0, 1).empty());
}

TEST(LaserScan, FollowsScanLines) {
  const auto points = laser_scan(100000, 1);
  for (std::size_t line = 0; line < 3; ++line)
    for (std::size_t k = 1; k < 1000; ++k) {
      const double moved = points[line * 1000 + k][0] - points[line * 1000 + k - 1][0];
      EXPECT_NEAR(moved, line % 2 == 0 ? 0.5 : -0.5, 0.11);
    }
  // Ground and vegetation: neighbours are at most a little apart, or a tree.
  const auto [low, high] =
      std::minmax_element(points.begin(), points.end(), [](const auto &a, const auto &b) { return a[2] < b[2]; });
  EXPECT_LT((*high)[2] - (*low)[2], 430);
  EXPECT_GT((*high)[2] - (*low)[2], 20);
}

}  // namespace
}  // namespace gpz::bench::data::laser_scan_test
