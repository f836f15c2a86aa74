// SPDX-License-Identifier: BSD-3-Clause
// Key frames of molecules in files: which coding they have, how much smaller they are, and that frames come back in
// any order, of all particles and of some.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "gpz/format/codings.hpp"
#include "gpz/selection.hpp"
#include "molecule_trajectory_support.hpp"

namespace gpz::test::molecule_key_test {
namespace {

// Coding of the positions in each frame's first chunk.
std::vector<int> codings_of(const Bytes &bytes) {
  const Reader reader = reader_of(bytes);
  std::vector<int> codings;
  for (std::size_t f = 0; f < reader.frames(); ++f) {
    const auto chunk = reader.stored(f).bytes;
    codings.push_back(format::open_chunk(chunk.data(), chunk.size(), 2).section(0)[0]);
  }
  return codings;
}

// Bytes of one independent chunk.
std::size_t key_size(const Snapshot &snapshot, Effort effort, std::uint32_t features, int threads = 1) {
  TrajectoryEncoder encoder(threads);
  encoder.set_order(Order::id);
  encoder.set_effort(effort, features);
  EncodedChunk chunk;
  encoder.encode(snapshot.inputs(), snapshot.info.particles, nullptr, snapshot.info.box, true, chunk);
  const std::uint32_t needed = format::needed_features(format::read_from(chunk.bytes.data()), chunk.bytes.size(), 2);
  EXPECT_EQ(needed & feature::steps, features & feature::steps);
  return chunk.bytes.size();
}

TEST(MoleculeKey, IsInStepsAndSmallerThanWithout) {
  for (const bool tilted : {false, true}) {
    Liquid liquid(chain(12), 6000, 7);
    liquid.make_helices(12);
    liquid.molecules.move(0.02 * unit);
    if (tilted) liquid.tilt();
    const Snapshot snapshot = liquid.snapshot(0, 0.001, false);
    for (const Effort effort : {Effort::standard, Effort::dense})
      EXPECT_LT(key_size(snapshot, effort, feature::known),
                key_size(snapshot, effort, feature::known & ~feature::steps) * 97 / 100)
          << tilted;
  }
}

TEST(MoleculeKey, FilesOfKeyFramesAlone) {
  Liquid liquid(chain(8), 800, 2);
  liquid.make_helices(8);
  liquid.molecules.move(0.02 * unit);
  const std::vector<Snapshot> snapshots = liquid.run(5, 0.02, 0.001);
  for (const Effort effort : {Effort::standard, Effort::dense}) {
    const Bytes bytes = file_by(snapshots, effort, Order::id, 1, 1);
    EXPECT_EQ(codings_of(bytes), std::vector<int>(5, format::steps));
    EXPECT_EQ(file_by(snapshots, effort, Order::id, 3, 1), bytes);
    const Reader reader = reader_of(bytes);
    for (const std::size_t f : {4U, 0U, 2U, 3U, 1U}) expect_true(snapshots[f], reader.read(f), "id");
  }
}

// A frame does not depend on those that were read before.
TEST(MoleculeKey, FramesInAnyOrder) {
  for (const double sigma : {0.005, 0.05}) {
    Liquid liquid(chain(8), 800, 3);
    liquid.make_helices(8);
    liquid.molecules.move(0.02 * unit);
    liquid.tilt();
    const std::vector<Snapshot> snapshots = liquid.run(13, sigma, 0.001);
    const Bytes bytes = file_by(snapshots, Effort::standard, Order::id, 1, 4);
    const std::vector<int> codings = codings_of(bytes);
    // Later on, molecules of the larger motion have no shape any more.
    for (const std::size_t f : {0U, 4U, 8U, 12U})
      if (f < 8 || sigma < 0.01) {
        EXPECT_EQ(codings[f], format::steps) << f;
      }
    const Reader reader = reader_of(bytes);
    test::Random random(4);
    // Key frames on their own, and as the beginning of an interval.
    for (int turn = 0; turn < 60; ++turn) {
      const auto f = static_cast<std::size_t>(random.below(13));
      expect_true(snapshots[f], reader.read(f), "id");
      if (testing::Test::HasFailure()) return;
    }
    for (std::size_t f = 0; f < 13; ++f) reader.verify(f);
  }
}

// The same values as in all of the file, whichever particles are read.
TEST(MoleculeKey, SomeOfTheParticles) {
  for (const double sigma : {0.005, 0.05}) {
    Liquid liquid(chain(10), 20000, 12);
    liquid.make_helices(10);
    const std::vector<Snapshot> snapshots = liquid.run(6, sigma, 0.001);
    const Bytes bytes = file_by(snapshots, Effort::standard, Order::id, 2, 3);
    EXPECT_EQ(codings_of(bytes), std::vector<int>(6, format::steps));
    const Reader whole = reader_of(bytes);
    const auto selection = std::make_shared<Selection>();
    selection->ids.emplace().add(15000, 15020);
    const Reader some = reader_of(bytes);
    for (const std::size_t f : {2U, 3U, 5U, 0U, 1U}) {
      Frame expected = whole.read(f);
      keep_particles(expected, *selection);
      const Frame found = some.read(f, {2, false, selection});
      ASSERT_EQ(found.info.particles, 21U);
      for (std::size_t c = 0; c < found.columns.size(); ++c) {
        EXPECT_EQ(found.columns[c].floats, expected.columns[c].floats) << f;
        EXPECT_EQ(found.columns[c].integers, expected.columns[c].integers) << f;
      }
    }
  }
}

// A file that is continued begins a new interval, or goes on in the last one.
TEST(MoleculeKey, FilesThatAreContinued) {
  Liquid liquid(alkane(3), 440, 5);
  const std::vector<Snapshot> snapshots = liquid.run(9, 0.05, 0.001);
  const TemporaryFile file;
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    Writer writer(file.path(), small_metadata(), f == 0 ? Writer::Mode::create : Writer::Mode::append);
    writer.set_key_interval(8);
    writer.set_order(Order::id);
    writer.set_effort(Effort::standard);
    write_all(writer, {snapshots[f]});
    writer.close();
  }
  const Bytes bytes = file.bytes();
  const Reader reader = reader_of(bytes);
  ASSERT_EQ(reader.frames(), snapshots.size());
  for (std::size_t f = 0; f < snapshots.size(); ++f) expect_true(snapshots[f], reader.read(f), "id");
}

// Ids that are not in order, other columns, and values that no grid holds.
TEST(MoleculeKey, ValuesThatAreExact) {
  Liquid liquid(chain(8), 800, 6);
  liquid.make_helices(8);
  std::vector<Snapshot> snapshots = liquid.run(4, 0.05, 0.001);
  for (Snapshot &snapshot : snapshots) {
    std::vector<double> &real = snapshot.quantities[0].real;
    real[30] = 1e300;
    real[700] = std::nan("");
    real[2001] = -HUGE_VAL;
  }
  const Bytes bytes = file_by(snapshots, Effort::standard, Order::id, 1, 2);
  const Reader reader = reader_of(bytes);
  for (std::size_t f = 0; f < snapshots.size(); ++f) expect_true(snapshots[f], reader.read(f), "id");
}

TEST(MoleculeKey, FewParticles) {
  for (const std::size_t particles : {2U, 3U, 8U, 33U, 60U}) {
    Liquid liquid(chain(2), particles, 9);
    const std::vector<Snapshot> snapshots = liquid.run(4, 0.05, 0.001);
    const Bytes bytes = file_by(snapshots, Effort::dense, Order::id, 1, 2);
    const Reader reader = reader_of(bytes);
    for (std::size_t f = 0; f < snapshots.size(); ++f) expect_true(snapshots[f], reader.read(f), "id");
  }
}

}  // namespace
}  // namespace gpz::test::molecule_key_test
