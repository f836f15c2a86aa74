// SPDX-License-Identifier: BSD-3-Clause
// Pairs within a cutoff, against all pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "codec_support.hpp"
#include "gpz/crystal/neighbour_list.hpp"

namespace gpz::crystal::model_neighbour_list_test {
namespace {

using test::Random;
using Frame = std::array<std::vector<std::int64_t>, 3>;
using Separation = std::array<std::int64_t, 3>;
using Pairs = std::map<std::pair<std::uint32_t, std::uint32_t>, Separation>;  // from the smaller slot to the larger

Frame random_frame(std::size_t n, const core::GridBox &box, std::int64_t beyond, std::uint64_t seed) {
  Random random(seed);
  Frame frame;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t length = box[d].period != 0 ? box[d].period : 10000;
    for (std::size_t i = 0; i < n; ++i)
      frame[d].push_back(box[d].lo - beyond + static_cast<std::int64_t>(random.below(length + 2 * beyond)));
  }
  return frame;
}

codec::IndexColumns columns(const Frame &frame) { return {frame[0].data(), frame[1].data(), frame[2].data()}; }

std::int64_t shortest(std::int64_t separation, std::int64_t period) {
  if (period == 0) return separation;
  separation %= period;
  if (separation > period / 2) separation -= period;
  if (separation < -(period / 2)) separation += period;
  return separation;
}

Pairs all_pairs(const Frame &frame, int components, const core::GridBox &box, std::int64_t cutoff) {
  Pairs pairs;
  const std::size_t n = frame[0].size();
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = i + 1; j < n; ++j) {
      Separation separation{};
      std::int64_t sum = 0;
      for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
        separation[d] = shortest(frame[d][j] - frame[d][i], box[d].period);
        sum += separation[d] * separation[d];
      }
      if (sum < cutoff * cutoff) pairs[{i, j}] = separation;
    }
  return pairs;
}

Pairs pairs_of(const NeighbourList &list) {
  Pairs pairs;
  for (std::uint32_t index = 0; index < list.particles(); ++index)
    for (std::uint32_t pair = list.first()[index]; pair < list.first()[index + 1]; ++pair) {
      const std::uint32_t a = list.order()[list.partner()[pair]];
      const std::uint32_t b = list.order()[index];
      EXPECT_LT(list.partner()[pair], index);
      Separation separation;
      std::uint32_t sum = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        const std::int64_t one = list.separation(d)[pair];
        separation[d] = a < b ? one : -one;
        sum += static_cast<std::uint32_t>(one * one);
      }
      EXPECT_EQ(list.squared(pair), sum);
      EXPECT_TRUE(pairs.insert({{std::min(a, b), std::max(a, b)}, separation}).second) << "a pair occurs twice";
    }
  return pairs;
}

// A separation of half the period may be taken in either direction.
void expect_same(const Pairs &actual, const Pairs &expected, const core::GridBox &box) {
  ASSERT_EQ(actual.size(), expected.size());
  for (const auto &[pair, separation] : expected) {
    const auto found = actual.find(pair);
    ASSERT_NE(found, actual.end());
    for (std::size_t d = 0; d < 3; ++d)
      if (separation[d] != found->second[d]) {
        EXPECT_EQ(separation[d], -found->second[d]);
        EXPECT_EQ(box[d].period, 2 * std::abs(separation[d]));
      }
  }
}

void expect_ascending(const NeighbourList &list) {
  for (std::uint32_t index = 0; index < list.particles(); ++index)
    for (std::uint32_t pair = list.first()[index] + 1; pair < list.first()[index + 1]; ++pair)
      EXPECT_LT(list.partner()[pair - 1], list.partner()[pair]);
}

struct Shape {
  const char *name;
  core::GridBox box;
  int components;
  std::int64_t cutoff;
};

class NeighbourListOf : public testing::TestWithParam<Shape> {};

TEST_P(NeighbourListOf, HasAllPairs) {
  const auto &[name, box, components, cutoff] = GetParam();
  for (const std::size_t n : {1u, 2u, 33u, 700u}) {
    const Frame frame = random_frame(n, box, 150, n);
    NeighbourList list;
    ASSERT_TRUE(list.build(columns(frame), n, components, box, static_cast<std::uint64_t>(cutoff)));
    EXPECT_EQ(list.shift(), 0);
    EXPECT_EQ(list.particles(), n);
    const Pairs expected = all_pairs(frame, components, box, cutoff);
    if (n == 700) {
      EXPECT_GT(expected.size(), 100u);
    }
    expect_same(pairs_of(list), expected, box);
    expect_ascending(list);
  }
}

constexpr core::GridAxis open{};
const Shape shapes[] = {
    {"periodic", {{{-5000, 10000}, {0, 9000}, {77, 11003}}}, 3, 1500},
    {"open", {{open, open, open}}, 3, 1500},
    {"mixed", {{{0, 10000}, open, {-100, 8000}}}, 3, 1200},
    {"flat", {{{0, 10000}, {0, 9000}, open}}, 2, 700},
    {"line", {{{0, 10000}, open, open}}, 1, 40},
    {"thin", {{{0, 12000}, {0, 12000}, {0, 300}}}, 3, 900},
    {"small", {{{0, 2000}, {-1, 1500}, {5, 1201}}}, 3, 600},
    {"cutoff_beyond_half_the_box", {{{0, 1000}, {0, 1003}, {0, 1100}}}, 3, 520},
    {"five_cells", {{{0, 2600}, {0, 9000}, {0, 9000}}}, 3, 1000},
    {"six_cells", {{{0, 3100}, {0, 9000}, {0, 9000}}}, 3, 1000},
    {"few_cells", {{{0, 4000}, {0, 3000}, {0, 2999}}}, 3, 1000},
};
INSTANTIATE_TEST_SUITE_P(Shapes, NeighbourListOf, testing::ValuesIn(shapes),
                         [](const auto &shape) { return std::string(shape.param.name); });

TEST(NeighbourList, CutsLongLengths) {
  // Positions that take 50 bits: the unit is a power of two of grid steps, and close pairs are found in it.
  const core::GridBox box{{{0, std::int64_t{1} << 50}, {0, std::int64_t{1} << 50}, {}}};
  Frame frame = random_frame(400, box, 0, 3);
  const std::uint64_t cutoff = std::uint64_t{1} << 47;
  NeighbourList list;
  ASSERT_TRUE(list.build(columns(frame), 400, 3, box, cutoff));
  EXPECT_EQ(list.shift(), 33);
  Frame cut = frame;
  core::GridBox cut_box{{{0, 1 << 17}, {0, 1 << 17}, {}}};
  const std::int64_t least = *std::min_element(frame[2].begin(), frame[2].end());
  for (std::size_t i = 0; i < 400; ++i) {
    for (std::size_t d = 0; d < 2; ++d) cut[d][i] >>= 33;
    cut[2][i] = (cut[2][i] - least) >> 33;
  }
  expect_same(pairs_of(list), all_pairs(cut, 3, cut_box, 1 << 14), cut_box);
}

TEST(NeighbourList, TakesAnyIndices) {
  Random random(5);
  const core::GridBox boxes[] = {{{open, open, open}}, {{{-7, 8}, {INT64_C(1) << 52, INT64_C(1) << 52}, open}}};
  int built = 0;
  for (const core::GridBox &box : boxes) {
    Frame frame;
    for (auto &axis : frame)
      for (int i = 0; i < 300; ++i) axis.push_back(static_cast<std::int64_t>(random.bits() >> random.below(64)));
    frame[0][0] = INT64_MIN;
    frame[0][1] = INT64_MAX;
    for (const std::uint64_t cutoff : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
      NeighbourList list;
      if (!list.build(columns(frame), 300, 3, box, cutoff)) continue;
      ++built;
      EXPECT_EQ(list.particles(), 300u);
      if (cutoff <= 1) {
        EXPECT_TRUE(pairs_of(list).empty()) << cutoff;
      }
      pairs_of(list);  // checks each pair
      expect_ascending(list);
    }
  }
  EXPECT_GE(built, 4);
}

TEST(NeighbourList, RefusesTooManyPairs) {
  const std::size_t n = 20000;
  Frame frame;
  for (auto &axis : frame) axis.assign(n, 5);
  NeighbourList list;
  EXPECT_FALSE(list.build(columns(frame), n, 3, {{{0, 100}, {0, 100}, {0, 100}}}, 10));
  EXPECT_FALSE(list.build(columns(frame), n, 3, {}, 10));
}

}  // namespace
}  // namespace gpz::crystal::model_neighbour_list_test
