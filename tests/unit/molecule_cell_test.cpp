// SPDX-License-Identifier: BSD-3-Clause
// The box of molecules: vectors become short, positions come back to the box, and both are undone exactly, for every
// kind of box and any integers.
#include <gtest/gtest.h>

#include <string>

#include "molecule_support.hpp"

namespace gpz::molecule::molecule_cell_test {
namespace {

constexpr std::int64_t reach = core::max_axis_reach;
using codec::max64;
using codec::min64;

struct Case {
  const char *name;
  core::GridBox axes;
  Cell::Tilts tilts;
};
const Case cases[] = {
    {"open", {}, {}},
    {"orthogonal", {{{-50, 100}, {7, 9}, {-1000, 333}}}, {}},
    {"one open axis", {{{-50, 100}, {}, {0, 50}}}, {}},
    {"tilted", {{{-50, 100}, {-60, 120}, {-30, 80}}}, {35, -40, 50}},
    {"very tilted", {{{0, 100}, {0, 100}, {0, 100}}}, {170, -230, 90}},
    {"largest", {{{-reach, reach}, {reach, reach}, {0, reach}}}, {reach, -reach, reach}},
};

// Where there is an edge: as the page has them.
std::array<GridVector, 3> edges_of(const Case &c) {
  std::array<GridVector, 3> edges{
      {{c.axes[0].period, 0, 0}, {c.tilts[0], c.axes[1].period, 0}, {c.tilts[1], c.tilts[2], c.axes[2].period}}};
  for (std::size_t d = 0; d < 3; ++d)
    if (c.axes[d].period == 0) edges[d] = {};
  return edges;
}

GridVector plus(GridVector at, const Case &c, const Image &image) {
  const std::array<GridVector, 3> edges = edges_of(c);
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t k = 0; k < 3; ++k) at[k] = core::sum_of(at[k], core::product_of(image[d], edges[d][k]));
  return at;
}

void expect_undone(const Case &c, const GridVector &vector) {
  for (const bool brick : {false, true}) {
    SCOPED_TRACE(std::string(c.name) + (brick ? ", brick " : ", cell ") + std::to_string(vector[0]) + " " +
                 std::to_string(vector[1]) + " " + std::to_string(vector[2]));
    const Cell cell(c.axes, c.tilts, brick);
    GridVector shortened = vector;
    const Image taken = cell.shorten(shortened);
    EXPECT_EQ(cell.moved(shortened, taken), vector);
    EXPECT_EQ(plus(shortened, c, taken), vector);
    const Image back = cell.wrap(vector);
    EXPECT_EQ(cell.moved(vector, back), plus(vector, c, back));
    for (std::size_t d = 0; d < 3; ++d) {
      for (const Image &image : {taken, back}) {
        EXPECT_GE(image[d], -1);
        EXPECT_LE(image[d], 1);
        if (c.axes[d].period == 0) {
          EXPECT_EQ(image[d], 0);
        }
      }
    }
  }
}

TEST(MoleculeCell, AnyIntegersComeBack) {
  const std::int64_t odd[] = {min64,
                              min64 + 1,
                              max64,
                              max64 - 1,
                              0,
                              1,
                              -1,
                              reach,
                              -reach,
                              reach / 2,
                              -reach / 2 - 1,
                              49,
                              50,
                              51,
                              -50,
                              -51,
                              std::int64_t{1} << 62,
                              -(std::int64_t{1} << 62)};
  for (const Case &c : cases) {
    for (const std::int64_t x : odd)
      for (const std::int64_t y : odd)
        for (const std::int64_t z : {min64, max64, std::int64_t{0}, reach, std::int64_t{-51}})
          expect_undone(c, {x, y, z});
    Random random(1);
    for (int turn = 0; turn < 500; ++turn) {
      const std::uint64_t shift = random.below(64);
      GridVector vector;
      for (std::int64_t &x : vector) x = static_cast<std::int64_t>(random.bits()) >> shift;
      expect_undone(c, vector);
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(MoleculeCell, WaysBetweenPlacesInTheBoxBecomeShort) {
  Random random(2);
  for (const Case &c : cases) {
    const Cell cell(c.axes, c.tilts, false);
    for (int turn = 0; turn < 2000; ++turn) {
      GridVector vector;
      for (std::size_t d = 0; d < 3; ++d) {
        const std::int64_t most = c.axes[d].period + 1;
        vector[d] = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * most))) - most;
      }
      const GridVector before = vector;
      cell.shorten(vector);
      // The last axis is as short as it can be, whatever the others are; those before it if no tilt moved them.
      for (std::size_t d = 0; d < 3; ++d) {
        const bool is_moved = c.tilts != Cell::Tilts{} && d != 2;
        if (is_moved || c.axes[d].period == 0) continue;
        EXPECT_LE(std::abs(vector[d]), c.axes[d].period / 2 + 1) << c.name;
      }
      if (c.axes[0].period == 0) {
        EXPECT_EQ(vector[0], before[0]);
      }
    }
  }
}

TEST(MoleculeCell, TheImageOfAHalfEdgeIsTheWayItself) {
  const Cell cell(core::GridBox{{{0, 100}, {0, 101}, {0, 8}}});
  for (const auto &[x, expected] : {std::pair(50, 50), std::pair(51, -49), std::pair(-50, -50), std::pair(-51, 49)}) {
    GridVector vector{x, x, 0};
    const Image image = cell.shorten(vector);
    EXPECT_EQ(vector[0], expected);
    EXPECT_EQ(image[0], (x - expected) / 100);
    EXPECT_EQ(vector[1], x == 51 ? -50 : x == -51 ? 50 : x);
  }
}

TEST(MoleculeCell, PlacesOneEdgeAwayComeBackToTheBox) {
  Random random(3);
  for (const Case &c : cases)
    for (const bool brick : {false, true}) {
      if (c.axes[0].period == reach) continue;  // where doubles are no integers
      Edges edges;
      edges.tilted = {c.axes, c.tilts};
      const Cell cell(c.axes, c.tilts, brick);
      for (int turn = 0; turn < 2000; ++turn) {
        GridVector position;
        for (std::int64_t &x : position) x = static_cast<std::int64_t>(random.below(3000)) - 1500;
        position = inside(position, edges, brick);
        EXPECT_EQ(cell.wrap(position), Image{}) << c.name << brick;
        // Where it leaves, it comes back: the edges are undone from the last one on, so that others do not matter.
        for (std::size_t d = 0; d < 3; ++d)
          for (const int side : {-1, 1}) {
            Image away{};
            away[d] = static_cast<std::int8_t>(c.axes[d].period == 0 ? 0 : side);
            const GridVector outside = cell.moved(position, away);
            EXPECT_EQ(cell.moved(outside, cell.wrap(outside)), position) << c.name << brick << d;
          }
      }
    }
}

TEST(MoleculeCell, ABrickDoesNotLean) {
  const core::GridBox axes{{{0, 100}, {0, 100}, {0, 100}}};
  const Cell::Tilts tilts{40, 0, 0};
  // In the upper half of y, the cell lies 20 to 40 steps farther along x.
  const GridVector position{10, 90, 50};
  EXPECT_EQ(Cell(axes, tilts, true).wrap(position), Image{});
  EXPECT_EQ(Cell(axes, tilts, false).wrap(position), (Image{1, 0, 0}));
  EXPECT_EQ(Cell(axes, tilts, false).wrap({110, 90, 50}), Image{});
  EXPECT_EQ(Cell(axes, tilts, true).wrap({110, 90, 50}), (Image{-1, 0, 0}));
}

}  // namespace
}  // namespace gpz::molecule::molecule_cell_test
