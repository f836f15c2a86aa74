// SPDX-License-Identifier: BSD-3-Clause
// Trajectories of molecules: sections of coding 9 are in use where they should be, make files smaller, and keep every
// value within its bound, while particles cross edges, leave and arrive.
#include <gtest/gtest.h>

#include "gpz/format/opened_chunk.hpp"
#include "gpz/trajectory.hpp"
#include "molecule_support.hpp"
#include "trajectory_support.hpp"

namespace gpz::test {
namespace {

using molecule::alkane;
using molecule::chain;
using molecule::Molecules;

// In units of 1000 grid steps for a bond of 1.
constexpr double unit = 1000;

struct Liquid {
  Molecules molecules;
  Box box;
  double size;

  Liquid(const molecule::Shape &shape, std::size_t particles, std::uint64_t seed)
      : molecules(shape, particles / shape.size(), unit, unit * std::cbrt(8.0 * static_cast<double>(particles)), seed),
        size(std::cbrt(8.0 * static_cast<double>(particles))) {
    box.kind = Box::Kind::orthogonal;
    box.boundary = {'p', 'p', 'p', 'p', 'p', 'p'};
    box.values = {0, size, 0, size, 0, size};
  }
  void tilt() {
    box.kind = Box::Kind::triclinic;
    box.values[6] = 0.4 * size;
    box.values[7] = -0.2 * size;
    box.values[8] = 0.3 * size;
  }

  Snapshot snapshot(int frame, double bound, bool exchanged) const {
    Snapshot out;
    out.info.timestep = frame;
    out.info.box = box;
    Quantity position;
    position.field.type = ValueType::float64;
    position.field.bound = bound;
    position.field.leading = true;
    position.field.components = {{"x", 0}, {"y", 1}, {"z", 2}};
    Quantity id;
    id.field.type = ValueType::integer;
    id.field.components = {{"id", 3}};
    const auto &b = box.values;
    for (std::size_t i = 0; i < molecules.place.size(); ++i) {
      if (exchanged && (7 * i + static_cast<std::size_t>(frame / 3)) % 41 == 0) continue;
      std::array<double, 3> x;
      for (std::size_t d = 0; d < 3; ++d) x[d] = molecules.place[i][d] / unit;
      const double z = std::floor(x[2] / size);
      x[0] -= z * b[7], x[1] -= z * b[8], x[2] -= z * size;
      const double y = std::floor((x[1] - b[8] * x[2] / size) / size);
      x[0] -= y * b[6], x[1] -= y * size;
      x[0] -= size * std::floor((x[0] - b[7] * x[2] / size - b[6] * (x[1] - b[8] * x[2] / size) / size) / size);
      for (const double value : x) position.add(value);
      id.integer.push_back(static_cast<std::int64_t>(i) + 1);
    }
    out.info.particles = id.integer.size();
    out.quantities = {position, id};
    return out;
  }
  std::vector<Snapshot> run(int frames, double sigma, double bound, bool exchanged = false) {
    std::vector<Snapshot> out;
    for (int f = 0; f < frames; ++f) {
      if (f > 0) molecules.move(sigma * unit);
      out.push_back(snapshot(f, bound, exchanged));
    }
    return out;
  }
};

// How many of the frames need classed sections: their only fields are positions and ids.
std::size_t frames_of_molecules(const Bytes &bytes) {
  const Reader reader = reader_of(bytes);
  std::size_t count = 0;
  for (std::size_t i = 0; i < reader.frames(); ++i) {
    const auto chunk = reader.stored(i).bytes;
    if ((format::needed_features(format::read_from(chunk.data()), chunk.size(), 2) & feature::classed_sections) != 0)
      ++count;
  }
  return count;
}

Bytes file_by(const std::vector<Snapshot> &snapshots, Effort effort, Order order, int threads = 1) {
  const TemporaryFile file;
  Writer writer(file.path(), small_metadata(), Writer::Mode::create, threads);
  writer.set_key_interval(8);
  writer.set_order(order);
  writer.set_effort(effort);
  write_all(writer, snapshots);
  writer.close();
  return file.bytes();
}

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
      EXPECT_EQ(needed & feature::classed_sections, features & feature::classed_sections) << f;
    }
    size += f > 0 ? chunk.bytes.size() : 0;
  }
  return size;
}

void expect_sections(Liquid &liquid, double sigma, bool exchanged) {
  const std::vector<Snapshot> snapshots = liquid.run(12, sigma, 0.001, exchanged);
  for (const Effort effort : {Effort::standard, Effort::dense}) {
    const Bytes bytes = file_by(snapshots, effort, Order::id);
    EXPECT_EQ(frames_of_molecules(bytes), 10U);  // of 12 frames, two are key frames
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

TEST(MoleculeTrajectory, IsSmallerThanWithout) {
  for (const bool tilted : {false, true}) {
    Liquid liquid(chain(10), 2000, 2);
    if (tilted) liquid.tilt();
    const std::vector<Snapshot> snapshots = liquid.run(10, 0.1, 0.001);
    for (const Effort effort : {Effort::standard, Effort::dense}) {
      const std::size_t with = size_with(snapshots, effort, feature::known);
      const std::size_t without = size_with(snapshots, effort, feature::known & ~feature::classed_sections);
      EXPECT_LT(with, without * 95 / 100);
    }
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
    EXPECT_LT(without, usual * 101 / 100) << tilted;
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

// A bound as wide as a bond, and one of which a bond is more steps than a way may have.
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

}  // namespace
}  // namespace gpz::test
