// SPDX-License-Identifier: BSD-3-Clause
// Trajectories of molecules: sections of steps are in use where they should be, make files smaller, and keep every
// value within its bound, while particles cross edges, leave and arrive.
#include <gtest/gtest.h>

#include "molecule_trajectory_support.hpp"

namespace gpz::test::molecule_trajectory_test {
namespace {

void expect_held(const Bytes &bytes, const std::vector<Snapshot> &snapshots) {
  const Reader reader = reader_of(bytes);
  ASSERT_EQ(reader.frames(), snapshots.size());
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    expect_true(snapshots[f], reader.read(f), "id");
    reader.verify(f);
  }
  // From the middle on, and back.
  expect_true(snapshots[5], reader_of(bytes).read(5), "id");
  expect_true(snapshots[1], reader.read(1), "id");
}

// Bytes of the difference chunks of an encoder that has these features.
std::size_t size_with(const std::vector<Snapshot> &snapshots, Effort effort, std::uint32_t features) {
  TrajectoryEncoder encoder;
  encoder.set_order(Order::id);
  encoder.set_effort(effort, features);
  std::size_t size = 0;
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    EncodedChunk chunk;
    encoder.encode(snapshots[f].inputs(), snapshots[f].info.particles, nullptr, snapshots[f].info.box, f == 0, chunk);
    const std::uint32_t needed = format::needed_features(format::read_from(chunk.bytes.data()), chunk.bytes.size(), 2);
    EXPECT_EQ(needed & ~features, 0U);
    if (f > 0) {
      EXPECT_EQ(needed & feature::steps, features & feature::steps) << f;
    }
    size += f > 0 ? chunk.bytes.size() : 0;
  }
  return size;
}

void expect_sections(Liquid &liquid, double sigma, bool exchanged) {
  const std::vector<Snapshot> snapshots = liquid.run(12, sigma, 0.001, exchanged);
  for (const Effort effort : {Effort::standard, Effort::dense}) {
    const Bytes bytes = file_by(snapshots, effort, Order::id);
    EXPECT_GE(frames_of_molecules(bytes), 10U);  // of 12 frames; the two key frames may have another coding
    expect_held(bytes, snapshots);
    EXPECT_EQ(file_by(snapshots, effort, Order::id, 3), bytes);
  }
}

TEST(MoleculeTrajectory, BoundsHoldAndSectionsAreInUse) {
  Liquid liquid(chain(10), 1500, 1);
  expect_sections(liquid, 0.04, false);
}

TEST(MoleculeTrajectory, InATiltedBoxWhereParticlesLeaveAndArrive) {
  Liquid liquid(chain(10), 1500, 1);
  liquid.tilt();
  expect_sections(liquid, 0.1, true);
}

// Particles of several blocks.
TEST(MoleculeTrajectory, IsSmallerThanWithout) {
  for (const bool tilted : {false, true}) {
    Liquid liquid(chain(10), 20000, 12);
    if (tilted) liquid.tilt();
    const std::vector<Snapshot> snapshots = liquid.run(6, 0.1, 0.001);
    const Bytes bytes = file_by(snapshots, Effort::standard, Order::id);
    EXPECT_EQ(file_by(snapshots, Effort::standard, Order::id, 3), bytes);
    EXPECT_GE(frames_of_molecules(bytes), snapshots.size() - 1);
    expect_held(bytes, snapshots);
    for (const Effort effort : {Effort::standard, Effort::dense})
      EXPECT_LT(size_with(snapshots, effort, feature::known),
                size_with(snapshots, effort, feature::known & ~feature::steps) * 98 / 100);
  }
}

// Another program moves the positions, or the file has no box.
TEST(MoleculeTrajectory, OfACellThatTheBoxDoesNotName) {
  for (const bool tilted : {false, true}) {
    Liquid liquid(chain(5), 2000, 8);
    if (tilted) liquid.tilt();
    std::vector<Snapshot> snapshots = liquid.run(7, 0.2, 0.001);
    const std::size_t usual = size_with(snapshots, Effort::standard, feature::known);
    for (Snapshot &snapshot : snapshots)
      for (std::size_t k = 0; k < snapshot.quantities[0].real.size(); ++k)
        snapshot.quantities[0].real[k] += 0.3 * liquid.size + 0.1 * liquid.box.values[6 + k % 3];
    const std::size_t moved = size_with(snapshots, Effort::standard, feature::known);
    EXPECT_LT(moved, usual * 101 / 100) << tilted;
    for (Snapshot &snapshot : snapshots) snapshot.info.box = {};
    const std::size_t without = size_with(snapshots, Effort::standard, feature::known);
    // The key frame, by itself, does not show all edges, and its molecules are kept.
    EXPECT_LT(without, usual * 108 / 100) << tilted;
  }
}

// Without ids in order there are no molecules, and fast has no features.
TEST(MoleculeTrajectory, NeedsAnOrder) {
  Liquid liquid(chain(3), 300, 3);
  const std::vector<Snapshot> snapshots = liquid.run(7, 0.05, 0.001);
  for (const auto &[effort, order] : {std::pair(Effort::fast, Order::id), std::pair(Effort::dense, Order::place),
                                      std::pair(Effort::standard, Order::place)}) {
    const Bytes bytes = file_by(snapshots, effort, order);
    EXPECT_EQ(frames_of_molecules(bytes), 0U);
    expect_held(bytes, snapshots);
  }
}

// A bound as wide as a bond, and one of which a bond is more steps than a bond vector may have.
TEST(MoleculeTrajectory, BoundsOfAllSizes) {
  for (const double bound : {1.0, 0.1, 1e-5, 1e-7, 1e-10}) {
    SCOPED_TRACE(bound);
    Liquid liquid(alkane(3), 300, 4);
    const std::vector<Snapshot> snapshots = liquid.run(6, 0.1, bound);
    for (const Effort effort : {Effort::standard, Effort::dense})
      expect_held(file_by(snapshots, effort, Order::id), snapshots);
  }
}

// Molecules come apart and are others from one frame on.
TEST(MoleculeTrajectory, MoleculesThatChange) {
  Liquid liquid(chain(5), 400, 5);
  std::vector<Snapshot> snapshots = liquid.run(5, 0.05, 0.001);
  Liquid others(chain(4), 400, 6);
  for (const Snapshot &snapshot : others.run(7, 0.05, 0.001)) snapshots.push_back(snapshot);
  for (std::size_t f = 0; f < snapshots.size(); ++f) snapshots[f].info.timestep = static_cast<std::int64_t>(f);
  for (const Effort effort : {Effort::standard, Effort::dense})
    expect_held(file_by(snapshots, effort, Order::id), snapshots);
}

// A large chunk, of which the encoder looks at a sample first: molecules in half of it, or none. Without them,
// particles have no bonds.
TEST(MoleculeTrajectory, InPartOfALargeChunk) {
  constexpr std::size_t half = 140000;
  Liquid atoms(chain(1), half, 9);
  Liquid others(chain(1), half, 10);
  Liquid chains(chain(10), half, 11);
  const std::vector<Snapshot> first = atoms.run(3, 0.1, 0.001);
  for (Liquid *const second : {&chains, &others}) {
    std::vector<Snapshot> snapshots = second->run(3, 0.1, 0.001);
    for (std::size_t f = 0; f < snapshots.size(); ++f) {
      Snapshot &all = snapshots[f];
      Quantity &position = all.quantities[0];
      position.real.insert(position.real.end(), first[f].quantities[0].real.begin(), first[f].quantities[0].real.end());
      all.info.particles = 2 * half;
      std::vector<std::int64_t> &ids = all.quantities[1].integer;
      while (ids.size() < 2 * half) ids.push_back(static_cast<std::int64_t>(ids.size()) + 1);
    }
    const FramesOfSteps frames = frames_of_steps(file_by(snapshots, Effort::standard, Order::id));
    EXPECT_EQ(frames.with_bonds, second == &chains ? 3U : 0U);
    EXPECT_EQ(frames.without_bonds, second == &chains ? 0U : 2U);
  }
}

}  // namespace
}  // namespace gpz::test::molecule_trajectory_test
