// SPDX-License-Identifier: BSD-3-Clause
// Classes and mean bond lengths as a GPU finds them: in any order of particles, the same as in their order.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "gpz/molecule/class_keys.hpp"
#include "gpz/molecule/length_sum.hpp"
#include "molecule_support.hpp"

namespace gpz::molecule::molecule_classes_test {
namespace {

struct Given {
  Lags lags;
  Frame q;
  Cell cell;
};

std::vector<std::size_t> shuffled(std::size_t n, Random &random) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

std::uint32_t key_of(const Tree &tree, const Given &given, const std::vector<std::uint8_t> &children, std::size_t i) {
  const Links &links = tree[i];
  if (links.parent == 0) return key_of_root(children[i]);
  const std::size_t parent = i - links.parent;
  Way way = difference_of(place_of(columns(given.q), i), place_of(columns(given.q), parent));
  given.cell.shorten(way);
  return key_of_bound(way, links, tree[parent].parent == 0, children[parent], children[i]);
}

// Returns the number of classes.
std::size_t expect_classes_of_tree(const Given &given, Random &random) {
  const std::size_t n = given.lags.size();
  Tree tree;
  tree.build(given.lags, columns(given.q), given.cell);
  std::vector<std::uint8_t> children(n);
  for (std::size_t i = 0; i < n; ++i)
    if (given.lags[i] != 0) ++children[i - given.lags[i]];
  std::vector<std::uint32_t> first_slot(class_keys, UINT32_MAX);
  for (const std::size_t i : shuffled(n, random)) {
    const std::uint32_t key = key_of(tree, given, children, i);
    EXPECT_LT(key, class_keys);
    first_slot[key] = std::min(first_slot[key], static_cast<std::uint32_t>(i));
  }
  const NumberedClasses classes = number_classes(first_slot);
  EXPECT_EQ(classes.count, tree.classes());
  std::vector<std::uint32_t> members(classes.count);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint8_t of_class = classes.of_key[key_of(tree, given, children, i)];
    EXPECT_EQ(of_class, tree[i].of_class) << i;
    ++members[of_class];
  }
  for (std::size_t c = 0; c < members.size(); ++c) EXPECT_EQ(members[c], tree.members(c)) << c;
  return classes.count;
}

// Lags up to `farthest`, and bonds of up to 2^most_bits steps.
Given random_given(std::size_t n, std::size_t farthest, unsigned most_bits, Random &random) {
  Given given{Lags(n), empty_frame(n), Cell(box_of(-70, {1 << 22, 1 << 23, 1 << 22}).axes)};
  for (std::size_t i = 0; i < n; ++i) {
    given.lags[i] = static_cast<std::uint8_t>(random.below(std::min(i, farthest) + 1));
    for (std::size_t d = 0; d < 3; ++d) {
      const std::int64_t reach = std::int64_t{1} << random.below(most_bits + 1);
      const auto way = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * reach + 1))) - reach;
      given.q[d][i] = given.lags[i] == 0 ? way : given.q[d][i - given.lags[i]] + way;
    }
  }
  return given;
}

TEST(MoleculeClasses, InAnyOrderAsInThatOfParticles) {
  Random random(1);
  std::size_t most = 0;
  for (const std::size_t n : {1U, 2U, 5U, 100U, 5000U})
    for (const std::size_t farthest : {1U, 3U, 20U, 255U})
      for (const unsigned bits : {0U, 5U, 21U})
        most = std::max(most, expect_classes_of_tree(random_given(n, farthest, bits, random), random));
  EXPECT_EQ(most, max_classes);
}

TEST(MoleculeClasses, OfMolecules) {
  Random random(2);
  for (const Shape &shape : {chain(1), chain(3), alkane(5), Shape{0, 1, 2}}) {
    Molecules molecules(shape, 200, 1000, 20000, 3);
    Given given{{}, molecules.open(), {}};
    for (std::size_t i = 0; i < given.q[0].size(); ++i)
      given.lags.push_back(static_cast<std::uint8_t>(shape[i % shape.size()]));
    EXPECT_LT(expect_classes_of_tree(given, random), 100U);
  }
}

// ---- sums of lengths

LengthSum sum_of(const std::vector<float> &lengths, const std::vector<std::size_t> &order) {
  LengthSum sum;
  for (const std::size_t i : order) {
    ++sum.particles;
    if (lengths[i] == 0) continue;
    sum.sum += static_cast<double>(lengths[i]);
    sum.least_exponent = std::min(sum.least_exponent, exponent_of(lengths[i]));
    sum.most_exponent = std::max(sum.most_exponent, exponent_of(lengths[i]));
  }
  return sum;
}

TEST(MoleculeClasses, SumsOfLengthsAreExactInAnyOrder) {
  Random random(4);
  for (int octaves = 1; octaves <= 20; ++octaves) {
    std::vector<float> lengths(500);
    for (float &length : lengths)
      length = random.below(9) == 0 ? 0.0F : static_cast<float>(std::exp2(octaves * random.uniform()) * 1000 / 7);
    const LengthSum sum = sum_of(lengths, shuffled(lengths.size(), random));
    EXPECT_TRUE(is_exact(sum)) << octaves;
    double in_order = 0;
    for (const float length : lengths) in_order += static_cast<double>(length);
    EXPECT_EQ(sum.sum, in_order);
  }
  EXPECT_TRUE(is_exact(sum_of({0, 0, 0}, {2, 0, 1})));
  EXPECT_TRUE(is_exact({}));
}

TEST(MoleculeClasses, SumsThatMayBeRounded) {
  LengthSum sum{1, 1U << 29, 130, 130};
  EXPECT_TRUE(is_exact(sum));
  ++sum.particles;
  EXPECT_FALSE(is_exact(sum));
  sum = {1, 1U << 28, 130, 131};
  EXPECT_TRUE(is_exact(sum));
  ++sum.particles;
  EXPECT_FALSE(is_exact(sum));
  EXPECT_TRUE(is_exact({1, 1, 1, 30}));
  EXPECT_FALSE(is_exact({1, 2, 1, 30}));
  EXPECT_FALSE(is_exact({1, 1, 1, 31}));
  // 1 is less than half a step of the sum, in one of the two orders.
  const std::vector<float> lengths{1, std::ldexp(1.0F, 53), 1};
  const LengthSum rounded = sum_of(lengths, {0, 1, 2});
  EXPECT_FALSE(is_exact(rounded));
  EXPECT_NE(rounded.sum, sum_of(lengths, {0, 2, 1}).sum);
  EXPECT_FALSE(is_exact(sum_of({1, std::numeric_limits<float>::infinity()}, {0, 1})));
  EXPECT_EQ(exponent_of(std::numeric_limits<float>::denorm_min()), 1U);
}

// The largest and the smallest length of each class are at most one octave apart.
TEST(MoleculeClasses, LengthsOfAClassHaveTwoExponentsAtMost) {
  std::vector<std::int64_t> least(128, INT64_MAX);
  std::vector<std::int64_t> most(128, 0);
  Random random(5);
  for (int k = 0; k < 20000; ++k) {
    Way way;
    for (std::int64_t &x : way) x = static_cast<std::int64_t>(random.below(std::uint64_t{1} << random.below(21)));
    const std::int64_t squared = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
    const std::size_t of = length_class(way);
    ASSERT_LT(of, 128U);
    least[of] = std::min(least[of], squared);
    most[of] = std::max(most[of], squared);
  }
  for (std::size_t c = 1; c < least.size(); ++c) {
    if (most[c] == 0) continue;
    const auto exponent = [](std::int64_t squared) {
      return exponent_of(static_cast<float>(std::sqrt(static_cast<double>(squared))));
    };
    EXPECT_LE(exponent(most[c]) - exponent(least[c]), 1U) << c;
  }
}

// ---- bytes of lags

TEST(MoleculeClasses, BytesOfLagsFollowFromTheirHead) {
  Random random(6);
  for (const std::size_t farthest : {1U, 2U, 7U, 60U}) {
    Tree tree;
    const Given given = random_given(3000, farthest, 5, random);
    tree.build(given.lags, columns(given.q), given.cell);
    Bytes bytes;
    tree.append(bytes);
    const std::size_t size = bytes.size();
    bytes.resize(size + 200, 7);
    EXPECT_EQ(Tree::bytes_to_read(bytes.data(), bytes.size()), size);
    EXPECT_EQ(Tree::bytes_to_read(bytes.data(), size), size);
    for (std::size_t less = 0; less < size; ++less) {
      const test::Copy copy(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(less)));
      EXPECT_EQ(Tree::bytes_to_read(copy.data.get(), copy.size), less);
    }
    // Of the first bytes, no more are read.
    const test::Copy first(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(Tree::first_bytes)));
    EXPECT_EQ(Tree::bytes_to_read(first.data.get(), bytes.size()), size);
    bytes[0] = 64;
    EXPECT_EQ(Tree::bytes_to_read(bytes.data(), bytes.size()), bytes.size());
  }
}

}  // namespace
}  // namespace gpz::molecule::molecule_classes_test
