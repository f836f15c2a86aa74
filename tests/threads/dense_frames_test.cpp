// SPDX-License-Identifier: BSD-3-Clause
// Threads within frames of effort dense, of matter that its models describe: files, values and lists of neighbours are
// those of one thread.
#include <gtest/gtest.h>

#include <vector>

#include "gpz/crystal/neighbour_list.hpp"
#include "gpz/trajectory.hpp"
#include "tests/unit/matter_snapshot.hpp"

namespace gpz::test {
namespace {

#ifdef __SANITIZE_THREAD__
constexpr int thread_counts[] = {3};  // a race shows with any number, and takes minutes here
#else
constexpr int thread_counts[] = {2, 3, 5, 16};
#endif

Bytes written(const std::vector<Snapshot> &snapshots, Order order, int threads, Effort effort = Effort::dense) {
  Bytes bytes;
  Writer writer(bytes, small_metadata(), threads);
  writer.set_key_interval(static_cast<unsigned>(snapshots.size()));
  writer.set_order(order);
  writer.set_effort(effort);
  write_all(writer, snapshots);
  writer.close();
  return bytes;
}

void expect_same(const std::vector<Snapshot> &snapshots, Order order) {
  const Bytes alone = written(snapshots, order, 1);
  // The models are in use.
  EXPECT_LT(alone.size(), written(snapshots, order, 1, Effort::standard).size());
  const Reader reader = reader_of(alone);
  const Frame last = reader.read(snapshots.size() - 1, {1, false});
  for (const int threads : thread_counts) {
    EXPECT_EQ(written(snapshots, order, threads), alone) << threads << " threads";
    EXPECT_TRUE(same(reader_of(alone).read(snapshots.size() - 1, {threads, false}), last)) << threads << " threads";
  }
}

// Frames `steps` apart, of 27 copies of the box in space or 16 in a plane. `exchanged`: particles leave and come back.
std::vector<Snapshot> frames_of(LennardJones &matter, int frames, int steps, double bound, bool exchanged = false) {
  matter.run(300);
  std::vector<Snapshot> snapshots;
  for (int frame = 0; frame < frames; ++frame) {
    if (frame > 0) matter.run(steps);
    Snapshot snapshot = snapshot_of(copies_of(matter, matter.dimension == 3 ? 3 : 4), frame, bound, exchanged);
    snapshot.quantities.pop_back();  // velocities
    snapshots.push_back(std::move(snapshot));
  }
  return snapshots;
}

// More than 16,384 particles for each of three threads: forces of close and far pairs.
TEST(DenseFrames, Liquid) {
  LennardJones liquid(8, 0.8442, 1.5, 3);
  expect_same(frames_of(liquid, 5, 10, 0.0005), Order::id);
}

TEST(DenseFrames, LiquidOfArrivingParticles) {
  LennardJones liquid(8, 0.8442, 1.5, 4);
  expect_same(frames_of(liquid, 4, 10, 0.0005, true), Order::place);
}

// Far apart: neighbours in space.
TEST(DenseFrames, LiquidFarApart) {
  LennardJones liquid(8, 0.8442, 1.5, 5);
  expect_same(frames_of(liquid, 4, 100, 0.001), Order::id);
}

TEST(DenseFrames, Crystal) {
  LennardJones crystal(8, 1.1, 0.15, 6);
  expect_same(frames_of(crystal, 5, 20, 0.0005), Order::id);
}

TEST(DenseFrames, Plane) {
  LennardJones plane(48, 0.7, 0.8, 7, true);
  expect_same(frames_of(plane, 3, 10, 0.0005), Order::id);
}

using Columns = std::array<std::vector<std::int64_t>, 3>;

void expect_same_list(const Columns &q, const core::GridBox &box, std::uint64_t cutoff) {
  const codec::IndexColumns columns{q[0].data(), q[1].data(), q[2].data()};
  const std::size_t n = q[0].size();
  crystal::NeighbourList alone;
  const bool found = alone.build(columns, n, 3, box, cutoff);
  crystal::NeighbourList list;
  for (const int threads : thread_counts) {
    ASSERT_EQ(list.build(columns, n, 3, box, cutoff, threads), found) << threads << " threads";
    if (!found) continue;
    EXPECT_EQ(list.order(), alone.order());
    EXPECT_EQ(list.first(), alone.first());
    ASSERT_EQ(list.pairs(), alone.pairs());
    for (std::size_t pair = 0; pair < alone.pairs(); ++pair) {
      ASSERT_EQ(list.partner()[pair], alone.partner()[pair]) << "pair " << pair << ", " << threads << " threads";
      for (std::size_t d = 0; d < 3; ++d) ASSERT_EQ(list.separation(d)[pair], alone.separation(d)[pair]);
    }
  }
}

Columns random_columns(std::size_t n, std::int64_t reach, std::uint64_t seed) {
  Random random(seed);
  Columns q;
  for (std::size_t i = 0; i < n; ++i)
    for (auto &axis : q) axis.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(reach))));
  return q;
}

TEST(DenseFrames, NeighbourLists) {
  constexpr std::size_t n = 90000;
  const Columns q = random_columns(n, 10000, 11);
  for (const core::GridBox &box : {core::GridBox{}, core::GridBox{{{0, 10000}, {0, 10000}, {0, 10000}}},
                                   core::GridBox{{{0, 10000}, {}, {0, 10000}}}})
    for (const std::uint64_t cutoff : {100u, 300u}) expect_same_list(q, box, cutoff);
  // One row of cells, and boxes so small that cells are neighbours on both sides.
  Columns row = q;
  for (std::size_t d = 1; d < 3; ++d) std::fill(row[d].begin(), row[d].end(), 5);
  expect_same_list(row, {}, 3);
  Columns slab = q;
  for (std::int64_t &z : slab[2]) z %= 300;
  expect_same_list(slab, {{{0, 10000}, {0, 10000}, {0, 300}}}, 110);
}

// Too many pairs, or too many distances: all numbers of threads refuse.
TEST(DenseFrames, TooManyPairs) {
  Columns dense = random_columns(40000, 60, 12);
  expect_same_list(dense, {{{0, 60}, {0, 60}, {0, 60}}}, 20);
  Columns heap = random_columns(40000, 100000, 13);
  for (std::size_t i = 0; i < 30000; ++i)
    for (auto &axis : heap) axis[i] = 50000 + static_cast<std::int64_t>(i % 2) * 90;
  expect_same_list(heap, {}, 100);
}

}  // namespace
}  // namespace gpz::test
