// SPDX-License-Identifier: BSD-3-Clause
// Encoders and writers in several threads at once: the bytes are those of one alone.
#include "tests/unit/trajectory_support.hpp"
#include "together.hpp"

namespace gpz::test {
namespace {

constexpr std::size_t particles = 5000;  // several blocks

// Each test is a process of its own, so that the instruction set is chosen here.
TEST(EncodingThreads, ChooseTheInstructionSetTogether) {
  const Snapshot snapshot = trajectory(particles, 1).front();
  const std::vector<FieldInput> fields = snapshot.inputs();
  std::vector<EncodedChunk> chunks(4);
  together(4, [&](int t) { chunks[static_cast<std::size_t>(t)] = encode(fields, particles); });
  const EncodedChunk alone = encode(fields, particles);
  for (const EncodedChunk &chunk : chunks) {
    EXPECT_EQ(chunk.bytes, alone.bytes);
    EXPECT_EQ(chunk.checksum, alone.checksum);
    EXPECT_EQ(chunk.largest_error, alone.largest_error);
  }
}

TEST(EncodingThreads, EachWithThreadsOfItsOwn) {
  const Snapshot snapshot = trajectory(particles, 1).front();
  const std::vector<FieldInput> fields = snapshot.inputs();
  const EncodedChunk alone = encode(fields, particles);
  const Frame decoded = decode(fields, alone);
  together(3, [&](int t) {
    ChunkEncoder encoder(2 + t);
    EncodedChunk chunk;
    for (int round = 0; round < 2; ++round) {
      encoder.encode(fields, particles, nullptr, chunk);
      EXPECT_EQ(chunk.bytes, alone.bytes) << t;
      EXPECT_TRUE(same(decode(fields, chunk, 2 + t), decoded)) << t;
    }
  });
}

TEST(EncodingThreads, WriteTrajectoriesSideBySide) {
  const std::vector<Snapshot> snapshots = trajectory(particles, 4);
  for (const Order order : {Order::place, Order::id}) {
    const Bytes alone = file_of(snapshots, 3, 1, true, order);
    together(3, [&](int t) {
      Bytes bytes;
      Writer writer(bytes, small_metadata(), 1 + t);
      writer.set_key_interval(3);
      writer.set_order(order);
      writer.set_effort(Effort::fast);
      write_all(writer, snapshots);
      writer.close();
      EXPECT_EQ(bytes, alone) << t;
    });
  }
}

}  // namespace
}  // namespace gpz::test
