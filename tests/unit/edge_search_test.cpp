// SPDX-License-Identifier: BSD-3-Clause
// Edges and corners of periodic cells that no box names are found by the particles that go through them.
#include "gpz/trajectory/edge_search.hpp"

#include <gtest/gtest.h>

#include "gpz/trajectory/corner_search.hpp"
#include "molecule_support.hpp"

namespace gpz::trajectory::edge_search_test {
namespace {

using codec::columns;
using codec::Frame;
using molecule::alkane;
using molecule::box_of;
using molecule::Cell;
using molecule::chain;
using molecule::Edges;
using molecule::GridVector;
using molecule::inside;
using molecule::Molecules;
using molecule::tilted_box;

constexpr std::size_t count = 400;   // molecules
constexpr double bond = 300;         // steps
constexpr double sigma = 60;         // of a move: four to five edges of a hundred particles are gone through
constexpr std::int64_t size = 9000;  // of the box
const GridVector periods{size + 11, size - 200, size + 423};
const Cell::Tilts tilts{2000, -1500, 3100};

void expect_edges(const EdgeSearch &search, const GridVector &expected, const Cell::Tilts &leaning, std::int64_t most) {
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_LE(std::llabs(search.edges().axes[d].period - expected[d]), most) << d;
    EXPECT_LE(std::llabs(search.edges().tilts[d] - leaning[d]), most) << d;
  }
}

EdgeSearch found(const std::vector<Frame> &frames, bool is_thorough = true) {
  EdgeSearch search;
  for (std::size_t f = 1; f < frames.size(); ++f)
    search.update(columns(frames[f]), columns(frames[f - 1]), 3, frames[f][0].size(), is_thorough);
  return search;
}

// Frames in boxes of their own.
std::vector<Frame> run(Molecules &molecules, const std::vector<Edges> &boxes) {
  std::vector<Frame> frames;
  for (const Edges &box : boxes) {
    molecules.move(sigma);
    frames.push_back(molecules.in(box));
  }
  return frames;
}

TEST(EdgeSearch, BondsTellThePeriodExactly) {
  Molecules molecules(alkane(3), count, bond, size, 1);
  const auto frames = run(molecules, {2, box_of(-1234, periods)});
  expect_edges(found(frames), periods, {}, 2);
  // The jumps alone are shorter than the edges, by how far particles move.
  expect_edges(found(frames, false), periods, {}, 100);
}

TEST(EdgeSearch, TiltedCells) {
  Molecules molecules(alkane(3), count, bond, size, 2);
  const auto search = found(run(molecules, {3, tilted_box(500, periods, tilts)}));
  EXPECT_TRUE(search.is_tilted());
  expect_edges(search, periods, tilts, 3);
}

TEST(EdgeSearch, FollowsABoxThatChanges) {
  Molecules molecules(chain(4), 3 * count, bond, size, 3);
  std::vector<Edges> boxes;
  GridVector now = periods;
  for (int f = 0; f < 5; ++f) {
    now = {now[0] + 30, now[1] - 20, now[2] + 10};
    boxes.push_back(box_of(0, now));
  }
  expect_edges(found(run(molecules, boxes)), now, {}, 2);
}

// Programs keep molecules whole: no bond goes through an edge.
TEST(EdgeSearch, WholeMolecules) {
  Molecules molecules(chain(3), 2 * count, bond, size, 4);
  const Edges box = box_of(0, periods);
  std::vector<Frame> frames;
  for (int f = 0; f < 6; ++f) {
    molecules.move(3 * sigma);
    Frame q = molecules.open();
    for (std::size_t i = 0; i < q[0].size(); ++i) {
      const GridVector first = molecules.at(i - i % 3);
      const GridVector image = molecule::difference_of(inside(first, box), first);
      for (std::size_t d = 0; d < 3; ++d) q[d][i] += image[d];
    }
    frames.push_back(q);
  }
  expect_edges(found(frames), periods, {}, 150);  // the usual move is 450
}

TEST(EdgeSearch, OneFrameTellsStraightEdges) {
  Molecules molecules(alkane(3), count, bond, size, 5);
  const Frame q = molecules.in(box_of(77, periods));
  EdgeSearch search;
  search.look_at(columns(q), 3, q[0].size());
  expect_edges(search, periods, {}, 6);
}

TEST(EdgeSearch, FindsNothingWhereThereIsNothing) {
  // Particles anywhere, molecules that are not brought back, and those that were moved together.
  test::Random random(6);
  Frame anywhere = codec::empty_frame(3000);
  for (auto &axis : anywhere)
    for (auto &x : axis) x = static_cast<std::int64_t>(random.below(size));
  EdgeSearch search;
  search.look_at(columns(anywhere), 3, anywhere[0].size());
  expect_edges(search, {}, {}, 0);

  Molecules molecules(chain(4), count, bond, size, 6);
  std::vector<Frame> frames;
  for (int f = 0; f < 3; ++f) {
    molecules.move(sigma);
    frames.push_back(molecules.open());
  }
  search.look_at(columns(frames[0]), 3, frames[0][0].size());
  expect_edges(search, {}, {}, 0);
  expect_edges(found(frames), {}, {}, 0);

  for (auto &axis : frames[1])
    for (auto &x : axis) x += size;
  expect_edges(found({frames[0], frames[1]}), {}, {}, 0);
}

// Image of particles that are within the cell.
std::size_t outside(const format::TiltedEdges &cell, const Frame &q, bool is_brick) {
  const Cell tested(cell.axes, cell.tilts, is_brick);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < q[0].size(); ++i)
    sum += tested.wrap({q[0][i], q[1][i], q[2][i]}) != molecule::Image{} ? 1 : 0;
  return sum;
}

TEST(CornerSearch, FindsWhereACellBegins) {
  Molecules molecules(chain(4), count, bond, size, 7);
  const Edges box = tilted_box(0, periods, tilts);
  for (const bool is_brick : {false, true}) {
    Frame q = molecules.in(box, is_brick);
    format::TiltedEdges cell = *box.tilted;
    CornerSearch search;
    search.find_corner(cell, columns(q), q[0].size());
    for (const core::GridAxis &axis : cell.axes) EXPECT_EQ(axis.lo, 0);  // nothing to change
    for (std::size_t d = 0; d < 3; ++d)
      for (auto &x : q[d]) x += size * static_cast<std::int64_t>(d + 1) / 5;
    EXPECT_GT(outside(cell, q, is_brick), q[0].size() / 4);
    for (int frame = 0; frame < 2; ++frame) {
      format::TiltedEdges moved = cell;
      search.find_corner(moved, columns(q), q[0].size());
      EXPECT_LE(outside(moved, q, is_brick), q[0].size() / 32);
    }
  }
  // Particles that were never brought back are in no cell.
  for (int f = 0; f < 40; ++f) molecules.move(1000);
  const Frame open = molecules.open();
  format::TiltedEdges cell = *box.tilted;
  CornerSearch().find_corner(cell, columns(open), open[0].size());
  for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(cell.axes[d].period, periods[d]);
}

}  // namespace
}  // namespace gpz::trajectory::edge_search_test
