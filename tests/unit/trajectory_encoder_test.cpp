// SPDX-License-Identifier: BSD-3-Clause
// TrajectoryEncoder without a file, and its chunks in a Writer: sizes, equality of bytes, several writers, errors.
#include <numeric>
#include <optional>

#include "gpz/format/opened_chunk.hpp"
#include "gpz/format/section_head.hpp"
#include "trajectory_support.hpp"

namespace gpz::test::trajectory_encoder_test {
namespace {

ChunkKind kind_of(const EncodedChunk &chunk) { return chunk_kind(chunk.bytes.data(), chunk.bytes.size()); }

EncodedChunk next_chunk(TrajectoryEncoder &encoder, const Snapshot &snapshot, bool key, const int *rows = nullptr) {
  EncodedChunk chunk;
  encoder.encode(snapshot.inputs(), snapshot.info.particles, rows, snapshot.info.box, key, chunk);
  return chunk;
}

FrameInfo described(const Snapshot &snapshot, std::size_t since_key) {
  FrameInfo info = snapshot.info;
  for (const Quantity &q : snapshot.quantities) info.fields.push_back(q.field);
  info.since_key = static_cast<std::uint16_t>(since_key);
  return info;
}

// Particles of a snapshot whose number is `part` of `parts`, by where they are.
std::vector<int> part_of(const Gas &gas, int part, int parts) {
  std::vector<int> rows;
  for (std::size_t i = 0; i < gas.particles.size(); ++i) {
    const double x = gas.particles[i].position[0] - std::floor(gas.particles[i].position[0]);
    if (std::min(static_cast<int>(x * parts), parts - 1) == part) rows.push_back(static_cast<int>(i));
  }
  return rows;
}

TEST(TrajectoryEncoder, SeveralOfOneFile) {
  constexpr int parts = 4;
  constexpr std::size_t interval = 6;
  Gas gas(1800);
  TrajectoryEncoder encoders[parts];
  const TemporaryFile file;
  Metadata metadata;
  metadata.features = features_of(default_effort, default_order, true);
  Writer writer(file.path(), metadata);
  std::vector<Snapshot> snapshots;
  for (std::size_t f = 0; f < 20; ++f) {
    gas.move();
    if (f % 2 == 0) gas.shuffle();
    // The first part is empty for a while.
    for (Gas::Particle &p : gas.particles)
      if (f >= 8 && f < 11 && p.position[0] - std::floor(p.position[0]) < 0.25) p.position[0] += 0.3;
    const Snapshot snapshot = gas.snapshot();
    std::vector<EncodedChunk> chunks(parts);
    for (int part = 0; part < parts; ++part) {
      const auto rows = part_of(gas, part, parts);
      encoders[part].encode(snapshot.inputs(), rows.size(), rows.data(), snapshot.info.box, f % interval == 0,
                            chunks[static_cast<std::size_t>(part)]);
    }
    writer.write(described(snapshot, f % interval), chunks);
    snapshots.push_back(snapshot);
  }
  writer.close();
  const Reader reader(file.path());
  for (std::size_t f = 0; f < snapshots.size(); ++f) expect_true(snapshots[f], reader.read(f));
  for (const std::size_t f : {19u, 3u, 4u, 11u, 10u, 9u, 0u}) expect_true(snapshots[f], reader.read(f));
}

// An interval begins where since_key is 0, whatever was encoded before. Errors that the values have are counted.
TEST(IntervalEncoder, GivesTheChunksOfItsIntervals) {
  Gas gas(1200);
  const Encoding encoding{Order::id, Effort::fast, 0};
  IntervalEncoder all;
  std::optional<IntervalEncoder> one;
  for (std::size_t f = 0; f < 9; ++f) {
    gas.move();
    const Snapshot snapshot = gas.snapshot();
    const FrameInfo info = described(snapshot, f % 3);
    if (f % 3 == 0) one.emplace();
    std::vector<FieldInput> inputs = snapshot.inputs();
    EncodedChunk chunk, expected;
    one->encode(info, inputs, nullptr, encoding, expected);
    const double added = expected.largest_error[0];
    ASSERT_GT(added, 0);
    inputs[0].field.largest_error = inputs[0].field.bound / 4;
    all.encode(info, inputs, nullptr, encoding, chunk);
    EXPECT_EQ(chunk.bytes, expected.bytes) << f;
    if (f % 3 == 0) {
      EXPECT_NE(kind_of(chunk), ChunkKind::difference) << f;
    }
    EXPECT_EQ(chunk.largest_error[0], error_beside(inputs[0].field.bound, inputs[0].field.bound / 4, added)) << f;
  }
}

TEST(TrajectoryEncoder, TakesRowsAsIfTheyWereAll) {
  Gas gas(900);
  TrajectoryEncoder with_rows;
  set_plain(with_rows);
  TrajectoryEncoder without;
  set_plain(without);
  for (int f = 0; f < 5; ++f) {
    gas.move();
    gas.shuffle();
    const Snapshot all = gas.snapshot();
    std::vector<int> rows;
    Gas some = gas;
    some.particles.clear();
    for (std::size_t i = gas.particles.size(); i-- > 0;) {
      if (gas.particles[i].tag % 3 == 0) continue;
      rows.push_back(static_cast<int>(i));
      some.particles.push_back(gas.particles[i]);
    }
    const Snapshot gathered = some.snapshot();
    EncodedChunk a;
    with_rows.encode(all.inputs(), rows.size(), rows.data(), all.info.box, f == 0, a);
    EXPECT_EQ(a.bytes, next_chunk(without, gathered, f == 0).bytes) << f;
    EXPECT_EQ(kind_of(a), f == 0 ? ChunkKind::block : ChunkKind::difference);
  }
}

TEST(TrajectoryEncoder, GivesTheSameBytesAgainWithAnyNumberOfThreads) {
  Gas gas(5000);
  const auto snapshots = trajectory(gas, 5, {}, [&](int) {
    gas.shuffle();
    gas.thin(0.01);
    gas.add(60);
  });
  TrajectoryEncoder encoders[] = {TrajectoryEncoder(1), TrajectoryEncoder(1), TrajectoryEncoder(3)};
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    const EncodedChunk chunk = next_chunk(encoders[0], snapshots[f], f == 0);
    for (std::size_t e = 1; e < 3; ++e) {
      const EncodedChunk other = next_chunk(encoders[e], snapshots[f], f == 0);
      EXPECT_EQ(other.bytes, chunk.bytes);
      EXPECT_EQ(other.checksum, chunk.checksum);
      EXPECT_EQ(other.largest_error, chunk.largest_error);
    }
    EXPECT_EQ(chunk.checksum, chunk_checksum(chunk.bytes.data(), chunk.bytes.size()));
    EXPECT_EQ(chunk.particles, snapshots[f].info.particles);
  }
  const Bytes bytes = file_of(snapshots, 100);
  EXPECT_EQ(file_of(snapshots, 100, 3), bytes);
  const Reader reader = reader_of(bytes);
  const Reader other = reader_of(bytes);
  for (std::size_t f = 0; f < snapshots.size(); ++f) EXPECT_TRUE(same(reader.read(f), other.read(f, 3)));
}

// The size of an independent chunk is known only if it is encoded; before that it is taken from the last one, for each
// particle.
TEST(TrajectoryEncoder, GivesNoMoreBytesThanAChunkThatStandsAlone) {
  Random random(8);
  Gas gas(1100);
  TrajectoryEncoder encoder;
  set_plain(encoder);
  ChunkEncoder alone;
  double estimate = 0;
  std::size_t differences = 0;
  for (int f = 0; f < 40; ++f) {
    gas.move();
    const int mess = f / 4 % 5;
    for (Gas::Particle &p : gas.particles)
      for (double &position : p.position)
        if (random.below(5) < static_cast<std::uint64_t>(mess)) position = random.uniform();
    if (f % 7 == 3) gas.thin(0.2);
    if (f % 7 == 5) gas.add(250);
    if (f == 30) gas.thin(1);
    if (f == 33) gas.add(500);
    const Snapshot snapshot = gas.snapshot();
    const EncodedChunk chunk = next_chunk(encoder, snapshot, f == 0);
    EncodedChunk other;
    alone.encode(snapshot.inputs(), snapshot.info.particles, nullptr, other);
    const auto n = static_cast<double>(snapshot.info.particles);
    EXPECT_LE(static_cast<double>(chunk.bytes.size()), std::max(static_cast<double>(other.bytes.size()), estimate * n));
    if (kind_of(chunk) == ChunkKind::difference) {
      ++differences;
    } else {
      EXPECT_EQ(chunk.bytes, other.bytes);
      estimate = n == 0 ? 0 : static_cast<double>(chunk.bytes.size()) / n;
    }
  }
  EXPECT_GT(differences, 5u);
  EXPECT_LT(differences, 39u);
}

// A field of lossless noise is coded as blocks, the other fields stay differences.
TEST(TrajectoryEncoder, CodesAFieldOfNoiseByItself) {
  Gas gas(3000);
  auto snapshots = trajectory(gas, 6, {}, [](int) {});
  for (Snapshot &snapshot : snapshots) {
    for (std::int64_t &image : snapshot.named("ix").integer) image = static_cast<std::int64_t>(gas.random.below(1024));
    for (double &q : snapshot.named("q").real) q = gas.random.uniform();
  }
  TrajectoryEncoder encoder;
  set_plain(encoder);
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    const EncodedChunk chunk = next_chunk(encoder, snapshots[f], f == 0);
    if (f == 0) continue;
    ASSERT_EQ(kind_of(chunk), ChunkKind::difference);
    const auto head = format::open_chunk(chunk.bytes.data(), chunk.bytes.size(), 6);
    for (const std::size_t smooth : {0u, 4u})
      EXPECT_EQ(chunk.bytes[head.sections[smooth].offset], format::predicted_values);
    for (const std::size_t noise : {3u, 5u})
      EXPECT_EQ(chunk.bytes[head.sections[noise].offset], format::block_coded_values);
    for (const std::size_t constant : {1u, 2u}) EXPECT_EQ(head.sections[constant].size, 0u);
  }
  expect_round_trip(snapshots, 100);
}

TEST(TrajectoryEncoder, StandsAloneAfterAnError) {
  const auto snapshots = trajectory(400, 4);
  TrajectoryEncoder encoder;
  set_plain(encoder);
  next_chunk(encoder, snapshots[0], true);
  EXPECT_EQ(kind_of(next_chunk(encoder, snapshots[1], false)), ChunkKind::difference);
  Snapshot bad = snapshots[2];
  bad.quantities[0].field.bound = -1;
  EXPECT_EQ(status_of([&] { next_chunk(encoder, bad, false); }), Status::invalid_argument);
  EXPECT_EQ(kind_of(next_chunk(encoder, snapshots[2], false)), ChunkKind::block);
  EXPECT_EQ(kind_of(next_chunk(encoder, snapshots[3], false)), ChunkKind::difference);
}

TEST(TrajectoryEncoder, MakesItsFirstChunkStandAlone) {
  const auto snapshots = trajectory(400, 2);
  TrajectoryEncoder encoder;
  set_plain(encoder);
  EXPECT_EQ(kind_of(next_chunk(encoder, snapshots[0], false)), ChunkKind::block);
  EXPECT_EQ(kind_of(next_chunk(encoder, snapshots[1], true)), ChunkKind::block);
}

TEST(TrajectoryEncoder, KeepsAsMuchAsItSays) {
  const auto snapshots = trajectory(20000, 3);
  TrajectoryEncoder encoder;
  set_plain(encoder);
  for (std::size_t f = 0; f < snapshots.size(); ++f) next_chunk(encoder, snapshots[f], f == 0);
  // 6 values with a bound, 6 others; then what one frame needs: an index of each component, particles, rows, a chunk.
  const std::size_t history = 20000 * (6 * 20 + 6 * 8);
  EXPECT_GE(encoder.memory_usage(), history);
  EXPECT_LE(encoder.memory_usage(), history * 3);
}

TEST(Writer, StartsAnewAfterFramesOfOtherEncoders) {
  const auto snapshots = trajectory(300, 4);
  const TemporaryFile file;
  Writer writer(file.path(), {});
  writer.set_key_interval(100);
  write_all(writer, {snapshots[0]});
  TrajectoryEncoder encoder;
  set_plain(encoder);
  writer.write(described(snapshots[1], 0), std::vector<EncodedChunk>{next_chunk(encoder, snapshots[1], true)});
  write_all(writer, {snapshots[2], snapshots[3]});
  const Reader reader(file.path());
  for (std::size_t f = 0; f < snapshots.size(); ++f) expect_true(snapshots[f], reader.read(f));
  EXPECT_EQ(reader.info(2).since_key, 0);
  EXPECT_EQ(reader.info(3).since_key, 1);
}

TEST(Writer, RefusesFramesThatBuildOnNothing) {
  const auto snapshots = trajectory(300, 3);
  TrajectoryEncoder encoder;
  set_plain(encoder);
  const EncodedChunk key = next_chunk(encoder, snapshots[0], true);
  const EncodedChunk next = next_chunk(encoder, snapshots[1], false);
  const TemporaryFile file;
  Writer writer(file.path(), {});
  const auto write = [&](std::size_t f, std::size_t since_key, const std::vector<EncodedChunk> &chunks) {
    return status_of([&] { writer.write(described(snapshots[f], since_key), chunks); });
  };
  EXPECT_EQ(write(0, 1, {key}), Status::invalid_argument);
  EXPECT_EQ(write(0, 0, {key}), Status::ok);
  EXPECT_EQ(write(1, 2, {next}), Status::invalid_argument);
  EXPECT_EQ(write(1, 1, {next, EncodedChunk()}), Status::invalid_argument);  // another number of chunks
  EXPECT_EQ(write(1, 1, {next}), Status::ok);
  EXPECT_EQ(write(1, 1, {next}), Status::invalid_argument);
  const Reader reader(file.path());
  ASSERT_EQ(reader.frames(), 2u);
  expect_true(snapshots[1], reader.read(1));
}

}  // namespace
}  // namespace gpz::test::trajectory_encoder_test
