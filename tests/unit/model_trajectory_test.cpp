// SPDX-License-Identifier: BSD-3-Clause
// Files of all efforts: every value within its bound of the true one, whatever models predict, also where sections of
// several codings follow each other and particles leave and come back.
#include <gtest/gtest.h>

#include <memory>

#include "gpz/trajectory.hpp"
#include "matter_snapshot.hpp"
#include "trajectory_support.hpp"

namespace gpz::test::model_trajectory_test {
namespace {

template <typename Move>
void expect_bounds(Matter &matter, double bound, Move move) {
  std::vector<Snapshot> snapshots[2];
  for (int frame = 0; frame < 9; ++frame) {
    if (frame > 0) move();
    for (const bool exchanged : {false, true})
      snapshots[exchanged ? 1 : 0].push_back(snapshot_of(matter, frame, bound, exchanged));
  }
  for (const auto &truth : snapshots)
    for (const Order order : {Order::place, Order::id}) {
      std::size_t fast = 0;
      for (const Effort effort : {Effort::fast, Effort::standard, Effort::dense}) {
        Bytes bytes;
        Writer writer(bytes, small_metadata());
        writer.set_key_interval(6);
        writer.set_order(order);
        writer.set_effort(effort);
        write_all(writer, truth);
        writer.close();
        if (effort == Effort::fast) fast = bytes.size();
        // Each chunk takes the smallest coding, or steps, which may be 3 % larger.
        EXPECT_LE(bytes.size(), fast + fast / 32);
        const Reader reader = reader_of(bytes);
        ASSERT_EQ(reader.frames(), truth.size());
        for (std::size_t i = 0; i < truth.size(); ++i) expect_true(truth[i], reader.read(i), "id");
        if (testing::Test::HasFailure()) return;
      }
    }
}

TEST(ModelledTrajectory, Liquid) {
  LennardJones liquid(5, 0.8, 1.0, 21);
  liquid.run(40);
  for (const double bound : {0.02, 0.0005}) expect_bounds(liquid, bound, [&] { liquid.run(6); });
}

// A key frame begins anew: chunks do not depend on what the encoder has coded before.
TEST(ModelledTrajectory, AnEncoderForgetsAtAKeyFrame) {
  LennardJones liquid(5, 0.8, 1.0, 21);
  liquid.run(40);
  std::vector<Snapshot> truth;
  for (int frame = 0; frame < 15; ++frame, liquid.run(6)) truth.push_back(snapshot_of(liquid, frame, 0.0005, false));
  for (const int interval : {2, 3, 4, 5}) {
    TrajectoryEncoder used;
    std::unique_ptr<TrajectoryEncoder> fresh;
    used.set_effort(Effort::dense);
    EncodedChunk mine;
    EncodedChunk expected;
    for (int frame = 0; frame < 15; ++frame) {
      const bool key = frame % interval == 0;
      if (key) {
        fresh = std::make_unique<TrajectoryEncoder>();
        fresh->set_effort(Effort::dense);
      }
      const Snapshot &snapshot = truth[static_cast<std::size_t>(frame)];
      const auto particles = static_cast<std::size_t>(snapshot.info.particles);
      used.encode(snapshot.inputs(), particles, nullptr, snapshot.info.box, key, mine);
      fresh->encode(snapshot.inputs(), particles, nullptr, snapshot.info.box, key, expected);
      ASSERT_EQ(mine.bytes, expected.bytes) << "interval " << interval << ", frame " << frame;
    }
  }
}

TEST(ModelledTrajectory, Crystal) {
  LennardJones crystal(5, 1.05, 0.1, 22);
  crystal.run(20);
  for (const double bound : {0.01, 0.0002}) expect_bounds(crystal, bound, [&] { crystal.run(20); });
}

TEST(ModelledTrajectory, Waters) {
  Waters waters(500, 1, 23);
  for (const double bound : {0.05, 0.001}) expect_bounds(waters, bound, [&] { waters.move(); });
}

TEST(ModelledTrajectory, TwoDimensions) {
  LennardJones flat(25, 0.8, 0.6, 24, true);
  expect_bounds(flat, 0.001, [&] { flat.run(6); });
}

// With few particles, the usual coding is the smaller one in some frames and not in others.
TEST(ModelledTrajectory, FewParticles) {
  LennardJones liquid(3, 0.8, 1.0, 25);
  expect_bounds(liquid, 0.001, [&] { liquid.run(3); });
  Waters waters(40, 0, 26);
  expect_bounds(waters, 0.01, [&] { waters.move(); });
}

}  // namespace
}  // namespace gpz::test::model_trajectory_test
