// SPDX-License-Identifier: BSD-3-Clause
// Molecules as trees: references of each particle, the bytes of a tree; where molecules are found and where
// there are none.
#include <gtest/gtest.h>

#include "damage_support.hpp"
#include "gpz/molecule/tree.hpp"
#include "matter.hpp"
#include "molecule_support.hpp"

namespace gpz::molecule::molecule_tree_test {
namespace {

Lags lags_of(const std::vector<int> &lags) {
  Lags out;
  for (const int lag : lags) out.push_back(static_cast<std::uint8_t>(lag));
  return out;
}
Lags repeated(const Shape &shape, std::size_t count) {
  Lags out;
  for (std::size_t i = 0; i < count * shape.size(); ++i)
    out.push_back(static_cast<std::uint8_t>(shape[i % shape.size()]));
  return out;
}

Tree tree_of(const Lags &lags) {
  Tree tree;
  tree.link(lags);
  return tree;
}

struct Expected {
  Reference along;
  int along_lag;
  Reference across;
  int across_lag;
};
void expect_links(const Tree &tree, std::size_t i, const Expected &expected) {
  SCOPED_TRACE(i);
  EXPECT_EQ(tree[i].along, expected.along);
  EXPECT_EQ(tree[i].along_lag, expected.along_lag);
  EXPECT_EQ(tree[i].across, expected.across);
  EXPECT_EQ(tree[i].across_lag, expected.across_lag);
  EXPECT_EQ(tree[i].references(), expected.along == Reference::none ? 0 : expected.across == Reference::none ? 1 : 2);
}
constexpr Reference none = Reference::none, beside = Reference::beside, above = Reference::above,
                    beyond = Reference::beyond;

TEST(MoleculeTree, LinksOfWater) {
  const Tree tree = tree_of(lags_of({0, 1, 2, 0, 1, 2}));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(tree[i].parent, i % 3);
  for (const std::size_t oxygen : {0U, 3U}) {
    expect_links(tree, oxygen, {none, 0, none, 0});
    expect_links(tree, oxygen + 1, {none, 0, none, 0});
    expect_links(tree, oxygen + 2, {beside, 1, none, 0});
  }
}

TEST(MoleculeTree, LinksOfAMethylGroupAndOfAChain) {
  const Tree methyl = tree_of(lags_of({0, 1, 2, 3, 4}));
  expect_links(methyl, 3, {beside, 1, beside, 2});
  expect_links(methyl, 4, {beside, 1, beside, 2});
  const Tree row = tree_of(repeated(chain(6), 1));
  expect_links(row, 1, {none, 0, none, 0});
  expect_links(row, 2, {above, 0, none, 0});
  for (const std::size_t i : {3U, 4U, 5U}) expect_links(row, i, {above, 0, above, 0});
}

TEST(MoleculeTree, LinksOfBranches) {
  // 1 and 2 on 0; 3 and 4 on 1; 5 on 2; 6 on 5.
  const Tree tree = tree_of(lags_of({0, 1, 2, 2, 3, 3, 1}));
  expect_links(tree, 2, {beside, 1, none, 0});
  expect_links(tree, 3, {above, 0, beyond, 1});
  expect_links(tree, 4, {above, 0, beside, 1});
  expect_links(tree, 5, {above, 0, beyond, 4});
  expect_links(tree, 6, {above, 0, above, 0});
}

// The other child of the parent's parent is out of reach.
TEST(MoleculeTree, LinksReach255Slots) {
  for (const int far : {254, 255}) {
    std::vector<int> lags(static_cast<std::size_t>(far) + 3, 0);
    lags[1] = 1;
    lags[3] = 3;
    lags.back() = far - 1;  // on 3, so that particle 1 is `far` + 1 slots before
    const Tree tree = tree_of(lags_of(lags));
    const std::size_t i = lags.size() - 1;
    ASSERT_EQ(i - tree[i].parent, 3U);
    if (far == 254)
      expect_links(tree, i, {above, 0, beyond, 255});
    else
      expect_links(tree, i, {above, 0, none, 0});
  }
}

// ---- bytes

Lags read(const Bytes &bytes, std::size_t n) {
  const test::Copy copy(bytes);
  Lags lags;
  EXPECT_EQ(Tree::read(copy.data.get(), copy.size, n, lags), bytes.size());
  return lags;
}
Bytes bytes_of(const Tree &tree) {
  Bytes bytes;
  tree.append(bytes);
  EXPECT_EQ(bytes.size() % 8, 0U);
  return bytes;
}

TEST(MoleculeTree, ItsBytesComeBack) {
  Random random(2);
  std::vector<Lags> all{repeated(chain(3), 500), repeated(alkane(12), 30), lags_of({0}), lags_of({0, 1}), Lags(100, 0)};
  Lags any;  // all 63 lags that a table has room for, 255 among them
  for (std::size_t i = 0; i < 3000; ++i) {
    const std::size_t kind = random.below(64);
    const std::size_t lag = kind == 0 ? 0 : 255 - 4 * (kind - 1);
    any.push_back(static_cast<std::uint8_t>(lag <= i ? lag : 0));
  }
  all.push_back(any);
  for (const Lags &lags : all) {
    const Lags again = read(bytes_of(tree_of(lags)), lags.size());
    EXPECT_TRUE(again == lags);
  }
  // Molecules that repeat cost hardly anything.
  EXPECT_LT(bytes_of(tree_of(repeated(alkane(12), 300))).size(), 1 + 38U * 300 / 8 / 3);  // a third of a bit each
}

TEST(MoleculeTree, DamagedBytesAreRefusedOrRead) {
  for (const Lags &lags : {repeated(chain(3), 50), repeated(alkane(4), 12)}) {
    const Bytes bytes = bytes_of(tree_of(lags));
    test::expect_damage_is_refused_or_read(bytes, [&](const Bytes &changed) {
      const test::Copy copy(changed);
      Lags out;
      EXPECT_LE(Tree::read(copy.data.get(), copy.size, lags.size(), out), changed.size());
      // No parent is before the first particle.
      for (std::size_t i = 0; i < out.size(); ++i) EXPECT_LE(out[i], i);
      tree_of(out);
    });
  }
}

TEST(MoleculeTree, BytesAgainstTheRules) {
  const Lags lags = repeated(chain(3), 50);
  const Bytes bytes = bytes_of(tree_of(lags));
  ASSERT_EQ(bytes[0], 1);  // one lag, which is 1
  ASSERT_EQ(bytes[1], 1);
  const auto is_refused = [&](std::size_t at, int value) {
    Bytes changed = bytes;
    changed[at] = static_cast<std::uint8_t>(value);
    try {
      read(changed, lags.size());
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), Status::corrupt);
      return true;
    }
    return false;
  };
  EXPECT_TRUE(is_refused(0, 64));                                         // more lags than a table has
  EXPECT_TRUE(is_refused(0, 0));                                          // a kind that is not in the table
  EXPECT_TRUE(is_refused(1, 0));                                          // a particle that hangs on itself
  EXPECT_TRUE(is_refused(1, 2));                                          // before the first particle
  for (std::size_t at = 2; at < 8; ++at) EXPECT_TRUE(is_refused(at, 1));  // padding
  EXPECT_TRUE(is_refused(8, bytes[8] + 8));                               // longer than there are bytes
  EXPECT_TRUE(is_refused(8, bytes[8] - 8));
  EXPECT_TRUE(is_refused(8, bytes[8] - 1));  // no multiple of 8
  EXPECT_TRUE(is_refused(15, 255));
  EXPECT_THROW(read(bytes, lags.size() + 1), Error);
  EXPECT_THROW(read(bytes, lags.size() - 1), Error);
}

// ---- search

double share_of(const Lags &found, const Shape &shape) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < found.size(); ++i) right += found[i] == shape[i % shape.size()] ? 1 : 0;
  return found.empty() ? 0 : static_cast<double>(right) / static_cast<double>(found.size());
}

TEST(MoleculeSearch, FindsWhatMolecules) {
  // The box has a size at which neighbours are farther apart than bonded particles, as in liquids.
  for (const Shape &shape : {chain(2), chain(3), chain(10), Shape{0, 1, 2}, Shape{0, 1, 2, 3, 4}})
    for (const bool open : {false, true}) {
      const double size = 100 * std::cbrt(8.0 * 900);
      Molecules molecules(shape, 900 / shape.size(), 100, size, shape.size());
      const Edges box = open ? Edges{} : box_of(-30, {std::llround(size), std::llround(size), std::llround(size)});
      const Frame before = molecules.in(box);
      molecules.move(8);
      const Frame now = molecules.in(box);
      const Lags found = Tree::find(columns(before), columns(now), now[0].size(), Cell(box.axes));
      EXPECT_GT(share_of(found, shape), 0.9) << shape.size() << open;
    }
}

TEST(MoleculeSearch, FindsWaters) {
  test::Waters waters(600, 0, 1);
  const auto frame = [&] {
    Frame q = empty_frame(waters.position.size());
    for (std::size_t i = 0; i < q[0].size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) q[d][i] = std::llround(waters.inside(i)[d] / 0.01);
    return q;
  };
  Edges box;
  for (std::size_t d = 0; d < 3; ++d) box.axes[d] = {0, std::llround(waters.edges[d] / 0.01)};
  const Frame before = frame();
  waters.move();
  const Frame now = frame();
  const Lags found = Tree::find(columns(before), columns(now), now[0].size(), Cell(box.axes));
  EXPECT_GT(share_of(found, {0, 1, 2}), 0.97);
}

TEST(MoleculeSearch, FindsNoneInACrystal) {
  test::LennardJones matter(6, 1.05, 0.1, 5);
  matter.run(40);
  Edges box;
  for (std::size_t d = 0; d < 3; ++d) box.axes[d] = {0, std::llround(matter.edges[d] / 0.001)};
  Frame q[2] = {empty_frame(matter.position.size()), empty_frame(matter.position.size())};
  for (Frame &frame : q) {
    matter.run(5);
    for (std::size_t i = 0; i < frame[0].size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) frame[d][i] = std::llround(matter.inside(i)[d] / 0.001);
  }
  EXPECT_TRUE(Tree::find(columns(q[0]), columns(q[1]), q[0][0].size(), Cell(box.axes)).empty());
}

// Particles that keep their distance, in any order: neighbours in space are hardly ever neighbours by their slots.
TEST(MoleculeSearch, FindsNoneInALiquid) {
  constexpr std::size_t cells = 18;
  Random random(8);
  std::vector<std::size_t> site(cells * cells * cells);
  for (std::size_t i = 0; i < site.size(); ++i) site[i] = i;
  for (std::size_t i = site.size(); i > 1; --i) std::swap(site[i - 1], site[random.below(i)]);
  Frame q[2] = {empty_frame(site.size()), empty_frame(site.size())};
  for (Frame &frame : q)
    for (std::size_t i = 0; i < site.size(); ++i) {
      const std::size_t cell[] = {site[i] % cells, site[i] / cells % cells, site[i] / cells / cells};
      for (std::size_t d = 0; d < 3; ++d)
        frame[d][i] = 1000 * static_cast<std::int64_t>(cell[d]) + codec::gaussian(random, 60);
    }
  const std::int64_t edge = 1000 * cells;
  EXPECT_TRUE(Tree::find(columns(q[0]), columns(q[1]), site.size(), Cell(box_of(0, {edge, edge, edge}).axes)).empty());
}

TEST(MoleculeSearch, AllBondsOfALongPolymer) {
  const std::size_t n = 30000;  // more than the sample that is searched first
  Molecules polymer(chain(n), 1, 100, 1, 6);
  const Frame before = polymer.open();
  polymer.move(5);
  const Frame now = polymer.open();
  const Lags found = Tree::find(columns(before), columns(now), n, Cell());
  EXPECT_GT(share_of(found, {1}), 0.9);
}

TEST(MoleculeSearch, FewParticlesAndAnyPlaces) {
  const Frame nothing = empty_frame(0);
  EXPECT_TRUE(Tree::find(columns(nothing), columns(nothing), 0, Cell()).empty());
  for (const std::size_t n : {1U, 2U, 3U, 20U}) {
    const codec::Trajectory t = codec::noise(n, 2);
    for (const Frame *const before : {&t.frames[0], &t.frames[1]}) {
      const Lags found = Tree::find(columns(*before), columns(t.frames[1]), n, Cell());
      EXPECT_TRUE(found.empty() || found.size() == n);
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_LE(found[i], i);
    }
    const Frame zeros = empty_frame(n);
    Tree::find(columns(zeros), columns(zeros), n, Cell());
  }
}

// No bond is longer than a bond vector may be.
TEST(MoleculeSearch, BondsAreShort) {
  Molecules large(chain(4), 300, 1000000, 3e8, 7);
  const Frame before = large.open();
  large.move(1000);
  const Frame now = large.open();
  const Lags found = Tree::find(columns(before), columns(now), now[0].size(), Cell());
  std::size_t bound = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == 0) continue;
    ++bound;
    double squared = 0;
    for (std::size_t d = 0; d < 3; ++d) squared += std::pow(static_cast<double>(now[d][i] - now[d][i - found[i]]), 2);
    EXPECT_LT(std::sqrt(squared), 1048576.0);
  }
  EXPECT_GT(bound, 600U);
}

// Nearly as long as the longest: no lag that is more frequent takes the place of a bond where it is none.
TEST(MoleculeSearch, AFrequentLagIsNoBondByItself) {
  const Molecules pairs(chain(2), 200, 900000, 3e8, 9);
  Frame q = pairs.open();
  // The last one hangs on the last but one before it.
  const GridVector root{q[0][398], q[1][398], q[2][398]};
  for (std::size_t d = 0; d < 3; ++d) {
    q[d][399] = root[d] + (d == 0 ? 100000000 : 0);
    q[d].push_back(root[d] + (d == 1 ? 900000 : 0));
  }
  const Lags found = Tree::find(columns(q), columns(q), q[0].size(), Cell());
  ASSERT_EQ(found.size(), 401U);
  EXPECT_EQ(found[397], 1);
  EXPECT_EQ(found[399], 0);
  EXPECT_EQ(found[400], 2);
}

// Twenty oxygens of 1,000 waters are 1.55 bonds from a hydrogen of the molecule before.
TEST(MoleculeSearch, AFewHydrogenBondsAreNoBonds) {
  constexpr std::size_t molecules = 1000;
  constexpr std::int64_t edge = 310;
  constexpr std::int64_t site[][3] = {{0, 0, 0}, {100, 0, 0}, {-33, 94, 0}};
  Frame q = empty_frame(3 * molecules);
  for (std::size_t m = 0; m < molecules; ++m) {
    const std::size_t cell[] = {m % 10, m / 10 % 10, m / 100};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t d = 0; d < 3; ++d)
        q[d][3 * m + i] =
            edge * static_cast<std::int64_t>(cell[d]) + site[i][d] - (d == 0 && m % 50 == 1 ? edge - 255 : 0);
  }
  const Lags found = Tree::find(columns(q), columns(q), q[0].size(), Cell());
  ASSERT_EQ(found.size(), q[0].size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], i % 3) << i;
}

}  // namespace
}  // namespace gpz::molecule::molecule_tree_test
