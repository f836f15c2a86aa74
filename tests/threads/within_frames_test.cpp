// SPDX-License-Identifier: BSD-3-Clause
// Several threads work on one frame: bytes, values and errors are those of one thread.
#include "gpz/format/opened_chunk.hpp"
#include "gpz/trajectory/chunk_reader.hpp"
#include "tests/unit/trajectory_support.hpp"

namespace gpz::test {
namespace {

// Threads of their own are started for 16,384 particles each.
constexpr std::size_t particles = 33000;
constexpr int thread_counts[] = {2, 3, 7};

Bytes written(const std::vector<Snapshot> &snapshots, Effort effort, Order order, int threads) {
  Bytes bytes;
  Writer writer(bytes, small_metadata(), threads);
  writer.set_key_interval(static_cast<unsigned>(snapshots.size()));
  writer.set_order(order);
  writer.set_effort(effort);
  write_all(writer, snapshots);
  writer.close();
  return bytes;
}

void expect_same(const std::vector<Snapshot> &snapshots, Effort effort, Order order) {
  const Bytes alone = written(snapshots, effort, order, 1);
  // The last frame, then the first one: the reader decodes no frame ahead.
  const Reader reader = reader_of(alone);
  const Frame last = reader.read(snapshots.size() - 1, {1, true});
  const Frame first = reader.read(0, {1, false});
  for (const int threads : thread_counts) {
    EXPECT_EQ(written(snapshots, effort, order, threads), alone) << threads << " threads";
    const Reader other = reader_of(alone);
    EXPECT_TRUE(same(other.read(snapshots.size() - 1, {threads, true}), last)) << threads << " threads";
    EXPECT_TRUE(same(other.read(0, {threads, false}), first)) << threads << " threads";
  }
}

// Positions, ids and velocities of a gas; some particles leave, others arrive, and rows change.
std::vector<Snapshot> gas_frames(ValueType type, int frames, bool in_other_rows = true) {
  Style style;
  style.type = type;
  style.tags = false;
  style.images = in_other_rows;
  style.velocities = in_other_rows;
  Gas gas(particles, 5);
  return trajectory(gas, frames, style, [&](int f) {
    if (f == 0 || !in_other_rows) return;
    gas.thin(0.01);
    gas.add(500);
    gas.shuffle();
  });
}

// Chains of four particles.
std::vector<Snapshot> chain_frames(int frames) {
  std::vector<Snapshot> snapshots = gas_frames(ValueType::float64, frames, false);
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    std::vector<double> &place = snapshots[f].named("x").real;
    for (std::size_t i = 0; i < particles; ++i)
      for (std::size_t d = 0; d < 3; ++d)
        if (i % 4 != 0)
          place[3 * i + d] = place[3 * (i - 1) + d] + (d == i % 3 ? 0.02 : 0.001 * static_cast<double>(f + i % 2));
  }
  return snapshots;
}

TEST(WithinFrames, EffortFast) {
  expect_same(gas_frames(ValueType::float32, 2), Effort::fast, Order::id);
  expect_same(gas_frames(ValueType::float64, 2, false), Effort::fast, Order::id);
  expect_same(gas_frames(ValueType::float64, 2), Effort::fast, Order::place);
  expect_same(gas_frames(ValueType::float32, 2, false), Effort::fast, Order::memory);
}

TEST(WithinFrames, EffortStandard) {
  expect_same(gas_frames(ValueType::float32, 2), Effort::standard, Order::id);
  expect_same(chain_frames(2), Effort::standard, Order::id);
}

TEST(WithinFrames, EffortDense) { expect_same(gas_frames(ValueType::float64, 2, false), Effort::dense, Order::id); }

// Without history, the index of a value that the grid cannot hold is that of the row before, which may be the last row
// of another thread.
TEST(WithinFrames, ValuesBesideTheGrid) {
  std::vector<Snapshot> snapshots = gas_frames(ValueType::float64, 2, false);
  for (Snapshot &snapshot : snapshots)
    for (std::size_t i = 0; i < particles; i += 1024)
      for (const std::size_t row : {i, i + 511, i + 512, i + 1023})
        if (row < particles) snapshot.named("x").real[3 * row + row % 3] = std::numeric_limits<double>::quiet_NaN();
  for (const Order order : {Order::id, Order::memory}) expect_same(snapshots, Effort::fast, order);
}

std::vector<EncodedChunk> chunks_of(const std::vector<Snapshot> &snapshots, Effort effort, Order order) {
  TrajectoryEncoder encoder;
  encoder.set_order(order);
  encoder.set_effort(effort, feature::known);
  std::vector<EncodedChunk> chunks(snapshots.size());
  for (std::size_t f = 0; f < chunks.size(); ++f)
    encoder.encode(snapshots[f].inputs(), snapshots[f].info.particles, nullptr, snapshots[f].info.box, f == 0,
                   chunks[f]);
  return chunks;
}

// What a reader has of x after it read chunks, or the error that it met.
struct Outcome {
  Status status = Status::ok;
  std::string text;
  std::vector<double> values;
};
bool operator==(const Outcome &a, const Outcome &b) {
  return a.status == b.status && a.text == b.text && a.values.size() == b.values.size() &&
         std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) == 0;
}

Outcome outcome_of(const std::vector<EncodedChunk> &chunks, const std::vector<Field> &fields, int threads) {
  Outcome outcome;
  try {
    trajectory::ChunkReader reader;
    for (const EncodedChunk &chunk : chunks)
      reader.next(format::open_chunk(chunk.bytes.data(), chunk.bytes.size(), fields.size()), chunk.particles, fields,
                  {}, threads);
    outcome.values.resize(static_cast<std::size_t>(reader.particles()));
    codec::Target target;
    target.components[0] = {outcome.values.data(), sizeof(double), ConstArray::Type::float64};
    reader.write(0, target, threads);
  } catch (const Error &error) {
    outcome.status = error.status();
    outcome.text = error.what();
  }
  return outcome;
}

TEST(WithinFrames, DamageIsTheSameForAllThreads) {
  Style style;
  style.tags = style.images = style.velocities = false;
  Gas gas(particles, 9);
  const std::vector<Snapshot> snapshots = trajectory(gas, 2, style, [](int) {});
  std::vector<FieldInput> inputs = snapshots[0].inputs();
  format::prepare_fields(inputs, particles);
  const std::vector<Field> fields = format::described(inputs);
  Random random(3);
  std::size_t refused = 0;
  for (const Order order : {Order::id, Order::memory}) {
    const std::vector<EncodedChunk> whole = chunks_of(snapshots, Effort::fast, order);
    for (int turn = 0; turn < 12; ++turn) {
      std::vector<EncodedChunk> damaged = whole;
      std::vector<std::uint8_t> &bytes = damaged[static_cast<std::size_t>(turn) % 2].bytes;
      // Heads and directories are found at the start, blocks behind them.
      const std::size_t most = turn < 6 ? bytes.size() / 16 : bytes.size();
      for (int k = 0; k < 3; ++k) bytes[random.below(most)] ^= static_cast<std::uint8_t>(1 + random.below(255));
      const Outcome alone = outcome_of(damaged, fields, 1);
      refused += alone.status == Status::ok ? 0 : 1;
      for (const int threads : {2, 3})
        EXPECT_TRUE(outcome_of(damaged, fields, threads) == alone) << alone.text << ", turn " << turn;
    }
  }
  EXPECT_GT(refused, 2u);
}

TEST(WithinFrames, MemoryOfThreadsCounts) {
  const Bytes bytes = written(gas_frames(ValueType::float64, 2), Effort::fast, Order::id, 1);
  const auto status = [&](std::uint64_t limit, int threads) {
    Limits limits;
    limits.memory = limit;
    return status_of([&] { Reader(bytes.data(), bytes.size(), "memory", limits).read(1, threads); });
  };
  std::size_t refused = 0;
  for (std::uint64_t limit = 1 << 16; limit < 1 << 27; limit = limit * 3 / 2) {
    const Status alone = status(limit, 1);
    refused += alone == Status::ok ? 0 : 1;
    for (const int threads : {3, 7}) EXPECT_EQ(status(limit, threads), alone) << limit << " bytes";
  }
  EXPECT_GT(refused, 3u);
  EXPECT_EQ(status(1 << 27, 3), Status::ok);
}

}  // namespace
}  // namespace gpz::test
