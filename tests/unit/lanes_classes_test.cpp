// SPDX-License-Identifier: BSD-3-Clause
// Classes of particles follow from bonds, of which the short ones are told (docs/format.md, section 9d).
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "gpz/lanes/classes.hpp"
#include "gpz/lanes/stream.hpp"
#include "lanes_support.hpp"

namespace gpz::lanes::lanes_classes_test {
namespace {

using codec::Frame;
using molecule::Lags;

molecule::Tree tree_of(const Lags &lags) {
  molecule::Tree tree;
  tree.link(lags);
  return tree;
}
Lags repeated(const Pattern &pattern, std::size_t count) {
  Lags lags;
  for (std::size_t i = 0; i < count * pattern.size(); ++i)
    lags.push_back(static_cast<std::uint8_t>(pattern[i % pattern.size()]));
  return lags;
}

// Molecules whose bonds have the length that belongs to their place in the pattern, up to a hundredth.
Frame frame_of(const Pattern &pattern, const std::vector<double> &length, std::size_t count, const Edges &box) {
  test::Random random(3);
  std::vector<std::array<double, 3>> position(count * pattern.size());
  Frame q = codec::empty_frame(position.size());
  for (std::size_t i = 0; i < position.size(); ++i) {
    const std::size_t k = i % pattern.size();
    std::array<double, 3> direction{codec::normal(random), codec::normal(random), codec::normal(random)};
    const double size =
        std::sqrt(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
    for (std::size_t d = 0; d < 3; ++d) {
      const double part = (1 + 0.01 * random.uniform()) * length[k] / size;
      position[i][d] = pattern[k] == 0 ? 10000 * random.uniform() : position[i - pattern[k]][d] + part * direction[d];
    }
    const molecule::GridVector at = molecule::inside(
        {std::llround(position[i][0]), std::llround(position[i][1]), std::llround(position[i][2])}, box);
    for (std::size_t d = 0; d < 3; ++d) q[d][i] = at[d];
  }
  return q;
}

ShortBonds read_back(const molecule::Tree &tree, const ShortBonds &bonds) {
  Bytes bytes;
  bonds.append(tree, bytes);
  const test::Copy copy(bytes);
  ShortBonds back;
  EXPECT_EQ(back.read(tree, copy.data.get(), copy.size), bytes.size());
  return back;
}

// Two carbons with hydrogens and a chlorine each, of which the second has a bond less; the first particle is a
// hydrogen. The last three are a molecule of oxygen and hydrogens.
const Pattern mixture{0, 1, 1, 2, 3, 1, 2, 0, 1, 2};
const std::vector<double> lengths{0, 1090, 1770, 1090, 1530, 1090, 1770, 0, 960, 960};
const std::vector<bool> are_short{true, false, false, true, false, true, false, false, true, true};

TEST(LanesClasses, BondsOfHydrogenAreShort) {
  const molecule::Tree tree = tree_of(repeated(mixture, 40));
  for (const Edges &box : {Edges{}, molecule::box_of(0, {10000, 10000, 10000}),
                           molecule::tilted_box(0, {10000, 10000, 10000}, {3000, -2000, 1000})}) {
    molecule::Cell cell(box.axes);
    if (box.tilted) cell = molecule::Cell(box.tilted->axes, box.tilted->tilts, false);
    const ShortBonds bonds(tree, codec::columns(frame_of(mixture, lengths, 40, box)), cell);
    for (std::size_t i = 0; i < tree.particles(); ++i)
      ASSERT_EQ(bonds.has(i), are_short[i % are_short.size()]) << i << (box.tilted ? " tilted" : "");
  }
}

TEST(LanesClasses, RepeatedMoleculesTakeFewBytes) {
  const auto size_of = [](std::size_t count) {
    const molecule::Tree tree = tree_of(repeated(mixture, count));
    Bytes bytes;
    ShortBonds(tree, codec::columns(frame_of(mixture, lengths, count, {})), {}).append(tree, bytes);
    return bytes.size();
  };
  // A hundredth of a bit for each of 360 times six particles that might have others.
  EXPECT_LE(size_of(400), size_of(40) + 8);
}

// Trees of random lags; with the same bonds all of a class have the same kinds of references.
TEST(LanesClasses, BothSidesHaveTheSame) {
  test::Random random(5);
  for (int turn = 0; turn < 12; ++turn) {
    SCOPED_TRACE(turn);
    const std::size_t n = 1 + random.below(3000);
    Lags lags(n);
    for (std::size_t i = 1; i < n; ++i)
      lags[i] = static_cast<std::uint8_t>(random.below(5) == 0 ? 0 : 1 + random.below(std::min<std::size_t>(i, 6)));
    const molecule::Tree tree = tree_of(lags);
    Frame q = codec::empty_frame(n);
    for (auto &axis : q)
      for (std::int64_t &x : axis) x = static_cast<std::int64_t>(random.below(turn % 3 == 0 ? 3 : 1000));
    const ShortBonds bonds(tree, codec::columns(q), {});
    const ShortBonds back = read_back(tree, bonds);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(back.has(i), bonds.has(i)) << i;
    format::Column<std::uint8_t> ours, theirs;
    const std::size_t classes = classify(tree, bonds, ours);
    EXPECT_EQ(classify(tree, back, theirs), classes);
    EXPECT_TRUE(ours == theirs);
    ASSERT_LE(classes, max_classes);
    std::vector<std::size_t> first(classes, n);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_LT(ours[i], classes);
      std::size_t &of = first[ours[i]];
      if (of == n) of = i;
      EXPECT_EQ(tree[i].along, tree[of].along);
      EXPECT_EQ(tree[i].across, tree[of].across);
      EXPECT_EQ(bonds.has(i), bonds.has(of));
    }
    for (const std::size_t i : first) EXPECT_LT(i, n);  // every class is in use
  }
}

// As many as there may be, of bonds to up to seven others, short and long.
TEST(LanesClasses, NoMoreThanNumbersOfAByte) {
  test::Random random(6);
  const std::size_t n = 60000;
  Lags lags(n);
  for (std::size_t i = 1; i < n; ++i)
    lags[i] = static_cast<std::uint8_t>(random.below(9) == 0 ? 0 : 1 + random.below(std::min<std::size_t>(i, 3)));
  const molecule::Tree tree = tree_of(lags);
  Frame q = codec::empty_frame(n);
  for (auto &axis : q)
    for (std::int64_t &x : axis) x = static_cast<std::int64_t>(random.below(1000));
  format::Column<std::uint8_t> of_class;
  const std::size_t classes = classify(tree, ShortBonds(tree, codec::columns(q), {}), of_class);
  EXPECT_GT(classes, 200U);
  EXPECT_LE(classes, max_classes);
  for (const std::uint8_t c : of_class) ASSERT_LT(c, classes);
}

// Particles whose bonds differ have classes of their own if they are many; the more frequent ones come first.
TEST(LanesClasses, AreByTheBondsOfReferences) {
  // Chains of four, of which every third has a branch at its second particle.
  Lags lags;
  for (int k = 0; k < 96; ++k)
    for (const int lag : k % 3 == 0 ? std::vector<int>{0, 1, 1, 2, 1} : std::vector<int>{0, 1, 1, 1})
      lags.push_back(static_cast<std::uint8_t>(lag));
  const molecule::Tree tree = tree_of(lags);
  ShortBonds none(tree, codec::columns(codec::empty_frame(lags.size())), {});
  format::Column<std::uint8_t> of_class;
  const std::size_t classes = classify(tree, none, of_class);
  std::map<std::uint8_t, std::size_t> members;
  for (const std::uint8_t c : of_class) ++members[c];
  ASSERT_EQ(members.size(), classes);
  EXPECT_EQ(classes, 8U);  // a root has no references: those of both are one class
  for (std::size_t c = 0; c < classes; ++c) {
    const std::size_t here = members[static_cast<std::uint8_t>(c)];
    EXPECT_TRUE(here == 96 || here == 64 || here == 32) << here;
    if (c > 0) {
      EXPECT_LE(here, members[static_cast<std::uint8_t>(c - 1)]);
    }
  }
}

// Two chains of three: the first ends of both have the same surroundings, and so have the last ones.
TEST(LanesClasses, RulesOfShortBonds) {
  const molecule::Tree tree = tree_of(repeated(chain(3), 2));
  const auto read = [&](const std::vector<std::uint32_t> &numbers_of_ends) {
    NumberWriter numbers(2);
    for (std::size_t k = 0; k < numbers_of_ends.size(); ++k) numbers.put(k < 2 ? 1 : 0, numbers_of_ends[k]);
    Bytes bytes;
    numbers.append(bytes);
    const test::Copy copy(bytes);
    ShortBonds bonds;
    bonds.read(tree, copy.data.get(), copy.size);
    std::string found;
    for (std::size_t i = 0; i < 6; ++i) found += bonds.has(i) ? 's' : '.';
    return found;
  };
  EXPECT_EQ(read({0, 0, 0, 0}), "......");
  EXPECT_EQ(read({1, 0, 0, 0}), "s..s..");
  EXPECT_EQ(read({0, 1, 1, 0}), "..ss.s");
  EXPECT_EQ(read({1, 1, 1, 1}), "s.s...");
  for (const std::vector<std::uint32_t> &numbers :
       {std::vector<std::uint32_t>{2, 0, 0, 0}, {0, 0, 2, 0}, {UINT32_MAX, 0, 0, 0}, {0, 0, 0}, {0, 0, 0, 0, 0}})
    try {
      read(numbers);
      ADD_FAILURE() << numbers[0];
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), Status::corrupt);
    }
}

// Four-fifths of a kind are no reason to change the others, nearly all are.
TEST(LanesClasses, ShortByChance) {
  const std::size_t count = 100;
  const molecule::Tree tree = tree_of(repeated(mixture, count));
  for (const std::size_t others : {std::size_t{2}, std::size_t{20}}) {
    Frame q = frame_of(mixture, lengths, count, {});
    // The first particle of a molecule is a hydrogen on the second one.
    for (std::size_t k = 0; k < others; ++k)
      for (auto &axis : q) axis[10 * k] = axis[10 * k + 1] + (axis[10 * k] - axis[10 * k + 1]) * 16 / 10;
    const ShortBonds bonds(tree, codec::columns(q), {});
    for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(bonds.has(10 * k), others == 2 || k >= others) << k;
  }
}

TEST(LanesClasses, DamageIsRefusedOrRead) {
  const molecule::Tree tree = tree_of(repeated(mixture, 8));
  Bytes whole;
  ShortBonds(tree, codec::columns(frame_of(mixture, lengths, 8, {})), {}).append(tree, whole);
  test::expect_damage_is_refused_or_read(whole, [&](const Bytes &bytes) {
    const test::Copy copy(bytes);
    ShortBonds bonds;
    bonds.read(tree, copy.data.get(), copy.size);
    format::Column<std::uint8_t> of_class;
    EXPECT_LE(classify(tree, bonds, of_class), max_classes);
  });
}

}  // namespace
}  // namespace gpz::lanes::lanes_classes_test
