// SPDX-License-Identifier: BSD-3-Clause
// In large chunks, contests between codings end after clear wins: encoders say so, keep to it, and lose no value.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "gpz/core/difference_section.hpp"
#include "gpz/core/ordered.hpp"
#include "gpz/format/codings.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/format/section_head.hpp"
#include "gpz/model/contest.hpp"
#include "gpz/trajectory/encoder_access.hpp"
#include "matter_snapshot.hpp"
#include "molecule_support.hpp"

namespace gpz::test::settled_test {
namespace {

using trajectory::EncoderAccess;

// Molecules of three particles that turn and bend at random.
struct FlexibleWaters : Matter {
  molecule::Molecules molecules;

  FlexibleWaters(std::size_t count, std::uint64_t seed)
      : Matter(seed), molecules({0, 1, 2}, count, 1, std::cbrt(24.0 * static_cast<double>(count)), seed) {
    const double edge = std::cbrt(24.0 * static_cast<double>(count));
    edges = {edge, edge, edge};
    velocity.resize(3 * count);
    position = molecules.position;
  }
  void move() {
    molecules.move(0.1);
    position = molecules.position;
  }
};

// Positions and ids of copies of a small box, at least `particles`. Moves the box to its next frame.
template <typename Small>
Snapshot next_large(Small &small, std::size_t particles, double bound, int frame) {
  if constexpr (std::is_same_v<Small, FlexibleWaters>)
    small.move();
  else
    small.run(10);
  std::size_t count = 1;
  while (small.position.size() * count * count * count < particles) ++count;
  Snapshot snapshot = snapshot_of(copies_of(small, count), frame, bound, false);
  snapshot.quantities.resize(2);
  return snapshot;
}

struct Encoded {
  TrajectoryEncoder encoder;
  Bytes file;
  std::vector<Snapshot> snapshots;
  std::vector<Bytes> chunks;
  std::vector<int> settled;  // before each frame
  std::vector<int> codings;  // of the positions in each frame

  template <typename Small>
  Encoded(Small small, std::size_t particles, double bound, int frames, int threads, int next_key = 0)
      : encoder(threads) {
    encoder.set_order(Order::id);
    encoder.set_effort(default_effort, feature::known);
    Metadata metadata = small_metadata();
    metadata.features = features_of(default_effort, Order::id, true);
    Writer writer(file, metadata);
    std::uint16_t since_key = 0;
    for (int f = 0; f < frames; ++f) {
      snapshots.push_back(next_large(small, particles, bound, f));
      Snapshot &now = snapshots.back();
      settled.push_back(EncoderAccess::settled(encoder));
      const bool is_key = f == 0 || f == next_key;
      std::vector<EncodedChunk> chunk(1);
      encoder.encode(now.inputs(), now.info.particles, nullptr, now.info.box, is_key, chunk[0]);
      const format::OpenedChunk opened = format::open_chunk(chunk[0].bytes.data(), chunk[0].bytes.size(), 2);
      codings.push_back(opened.section(0)[0]);
      chunks.push_back(chunk[0].bytes);
      FrameInfo info = now.info;
      for (const FieldInput &input : now.inputs()) info.fields.push_back(input.field);
      since_key = static_cast<std::uint16_t>(is_key ? 0 : since_key + 1);
      info.since_key = since_key;
      writer.write(info, chunk);
    }
    writer.close();
  }
};

void expect_held(const Encoded &encoded, std::initializer_list<std::size_t> frames) {
  const Reader reader = reader_of(encoded.file);
  ASSERT_EQ(reader.frames(), encoded.snapshots.size());
  for (const std::size_t f : frames) expect_true(encoded.snapshots[f], reader.read(f), "id");
}

// True if a section of coding 1 without exact values predicts from neighbours.
bool has_neighbours(const Bytes &chunk) {
  constexpr std::size_t payload = format::field_coding_size + format::section_head_size(3);
  return format::open_chunk(chunk.data(), chunk.size(), 2).section(0)[payload] == core::neighbour_predictor;
}

constexpr double bound_of_liquids = 0.005;
constexpr double bound_of_waters = 0.0002;  // fine enough that no bond looks rigid

// A hot thin liquid, in whose order of ids neighbours soon differ. It has more particles than the largest lag:
// otherwise key frames would predict its copies from each other.
LennardJones thin_liquid() {
  LennardJones liquid(7, 0.2, 6, 1);
  static_assert(4 * 7 * 7 * 7 > core::max_lag);
  liquid.run(200);
  return liquid;
}

// Choices depend on the key interval alone, and not on threads.
TEST(Settled, LiquidsAreInSteps) {
  LennardJones liquid = thin_liquid();
  const int steps = format::steps;
  const Encoded two(liquid, model::large_section, bound_of_liquids, 12, 2, 6);
  for (const std::size_t f : {0, 1, 2, 7, 8}) EXPECT_EQ(two.settled[f], 0) << f;
  for (const std::size_t f : {4, 5, 10, 11}) EXPECT_EQ(two.settled[f], steps) << f;
  for (const std::size_t f : {2, 3, 4, 8, 9, 10, 11}) EXPECT_EQ(two.codings[f], steps) << f;
  EXPECT_EQ(EncoderAccess::settled(two.encoder), steps);
  expect_held(two, {3, 4, 11});
  for (int f = 0; f < 6; ++f) liquid.run(10);
  const Encoded second(liquid, model::large_section, bound_of_liquids, 6, 1);
  for (std::size_t f = 0; f < 6; ++f) EXPECT_TRUE(second.chunks[f] == two.chunks[6 + f]) << f;
}

// Contests end soon, but particles are predicted from neighbours for some frames more.
TEST(Settled, NeighboursAreTriedAsLongAsTheyHelp) {
  LennardJones liquid(6, 0.8442, 1.44, 1);
  liquid.run(200);
  constexpr std::size_t frames = 12;
  const Encoded encoded(liquid, model::large_section, bound_of_liquids, frames, 2);
  std::size_t first = 3;
  while (first < frames && has_neighbours(encoded.chunks[first])) ++first;
  EXPECT_GT(first, 4U);
  EXPECT_LT(first, frames);
  for (std::size_t f = 3; f < frames; ++f) {
    EXPECT_EQ(encoded.codings[f], format::predicted_values) << f;
    EXPECT_EQ(has_neighbours(encoded.chunks[f]), f < first) << f;
    EXPECT_EQ(encoded.settled[f], f <= first ? 0 : format::predicted_values) << f;
  }
  expect_held(encoded, {first - 1, first, frames - 1});
}

TEST(Settled, WatersAreInSteps) {
  const FlexibleWaters waters(400, 1);
  const int steps = format::steps;
  const Encoded encoded(waters, model::large_section, bound_of_waters, 10, 2);
  std::vector<int> expected(10, steps);
  expected[0] = expected[1] = expected[2] = 0;
  EXPECT_EQ(encoded.settled, expected);
  for (std::size_t f = 1; f < 10; ++f) EXPECT_EQ(encoded.codings[f], steps) << f;
  expect_held(encoded, {1, 5, 9});
}

TEST(Settled, SmallChunksGoOnWithContests) {
  const Encoded liquid(LennardJones(6, 0.8442, 1.44, 1), 1, bound_of_liquids, 10, 1);
  EXPECT_EQ(liquid.settled, std::vector<int>(10));
  const Encoded waters(FlexibleWaters(400, 1), 1, bound_of_waters, 10, 1);
  EXPECT_EQ(waters.settled, std::vector<int>(10));
}

TEST(Settled, NoChunkIsSettledAtFirst) { EXPECT_EQ(EncoderAccess::settled(TrajectoryEncoder()), 0); }

}  // namespace
}  // namespace gpz::test::settled_test
