// SPDX-License-Identifier: BSD-3-Clause
// Sequence chunks: particles come back in the order that they had, whatever their steps are.
#include <numeric>

#include "gpz/format/chunk_head.hpp"
#include "gpz/reader.hpp"
#include "gpz/trajectory.hpp"
#include "gpz/writer.hpp"
#include "sequence_support.hpp"

namespace gpz::test::sequence_chunk_test {
namespace {

template <typename T>
class SequenceChunks : public testing::Test {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(SequenceChunks, FloatTypes, );

template <typename T>
void expect_in_order(const Cloud<T> &cloud, const EncodedChunk &chunk) {
  expect_whole(cloud, chunk);
  const Frame frame = decode(cloud.inputs(), chunk);
  EXPECT_EQ(frame.columns[static_cast<std::size_t>(cloud.components)].integers, cloud.tags);
}

TYPED_TEST(SequenceChunks, Walks) {
  for (const int components : {1, 2, 3})
    for (const std::size_t n : {1u, 2u, 31u, 32u, 33u, 1000u, 4095u, 4096u, 4097u, 9001u})
      for (const double bound : {0.0003, 0.01, 0.7, 3000.0}) {
        const Cloud<TypeParam> cloud = walk<TypeParam>(n, components, bound, n);
        const EncodedChunk chunk = sequence_chunk(cloud);
        EXPECT_EQ(chunk_kind(chunk.bytes.data(), chunk.bytes.size()), ChunkKind::sequence);
        expect_in_order(cloud, chunk);
      }
}

TYPED_TEST(SequenceChunks, ValuesWithoutAGrid) {
  using Limits = std::numeric_limits<TypeParam>;
  Cloud<TypeParam> cloud = walk<TypeParam>(5000, 3, 0.01, 3);
  cloud.positions[0] = Limits::quiet_NaN();
  cloud.positions[4] = Limits::infinity();
  cloud.positions[4096 * 3 + 2] = Limits::max();
  cloud.positions[14999] = -Limits::infinity();
  expect_in_order(cloud, sequence_chunk(cloud));
  std::fill(cloud.positions.begin(), cloud.positions.end(), Limits::quiet_NaN());
  expect_in_order(cloud, sequence_chunk(cloud));
}

// Steps that no 32 bits hold: the values stand as they are, still in order.
TEST(SequenceChunk, FarApart) {
  Cloud<double> cloud;
  cloud.bound = 1e-9;
  for (const double x : {-2e6, 2e6, 0.0, 1e-9, 2e6, 5e5})
    for (const double y : {-2e6, 2e6, 0.0}) cloud.add({x, y, -x});
  const EncodedChunk chunk = sequence_chunk(cloud);
  EXPECT_EQ(chunk.bytes[format::section_length_at(ChunkKind::sequence, 2)], 2);
  expect_in_order(cloud, chunk);
}

// Among a few small steps, jumps that are as far as steps can be.
TEST(SequenceChunk, FarthestSteps) {
  Cloud<double> cloud;
  cloud.bound = 0.5;
  for (int i = 0; i < 600; ++i) {
    const double x = i % 100 == 99 ? 1.05e9 : i % 100 == 0 ? -1.05e9 : i;
    cloud.add({x, -x, static_cast<double>(i)});
  }
  expect_in_order(cloud, sequence_chunk(cloud));
}

TEST(SequenceChunk, RowsOfTheCaller) {
  const Cloud<double> cloud = walk<double>(500, 3, 0.01, 9);
  std::vector<int> rows(100);
  std::iota(rows.begin(), rows.end(), 0);
  std::reverse(rows.begin(), rows.end());
  const Frame frame = decode(cloud.inputs(), sequence_chunk(cloud, rows));
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_EQ(frame.columns[3].integers[i], cloud.tags[static_cast<std::size_t>(rows[i])]);
}

// Steps of +1 and -1 that are as likely cost a bit each: the rest is what a block and its lanes add.
TEST(SequenceChunk, TwoStepsCostOneBit) {
  const std::size_t n = 40960;
  Cloud<double> cloud;
  cloud.components = 1;
  cloud.bound = 0.25;
  Random random(8);
  double x = 0;
  for (std::size_t i = 0; i < n; ++i) cloud.add({x += random.below(2) == 0 ? 1 : -1, 0, 0});
  const auto length = format::load_little<std::uint64_t>(sequence_chunk(cloud).bytes.data() + 8);
  const double bits = static_cast<double>(length) * 8 / n;
  EXPECT_GT(bits, 0.99);
  EXPECT_LT(bits, 1.3);
}

// A step that is always followed by its opposite says nothing new.
TEST(SequenceChunk, ExpectedStepsCostLittle) {
  const std::size_t n = 40960;
  Cloud<double> cloud;
  cloud.components = 2;
  cloud.bound = 0.005;
  for (std::size_t i = 0; i < n; ++i) cloud.add({i % 2 == 0 ? 0.0 : 3.0, static_cast<double>(i % 2), 0});
  const auto length = format::load_little<std::uint64_t>(sequence_chunk(cloud).bytes.data() + 8);
  EXPECT_LT(static_cast<double>(length) * 8 / n, 0.6);
}

TEST(SequenceChunk, FileInTheOrderOfMemory) {
  const Cloud<double> cloud = walk<double>(9000, 3, 0.001, 5);
  FrameInfo info;
  info.particles = cloud.size();
  Bytes bytes;
  Writer writer(bytes, small_metadata());
  writer.set_order(Order::memory);
  writer.write(info, cloud.inputs());
  writer.close();
  Reader reader = reader_of(bytes);
  EXPECT_EQ(reader.metadata().features, feature::sequence_chunks);
  EXPECT_EQ(reader.read(0).columns[3].integers, cloud.tags);
  const StoredFrame stored = reader.stored(0);
  EXPECT_EQ(chunk_kind(stored.bytes.data(), stored.bytes.size()), ChunkKind::sequence);
  // A header that does not name the feature.
  Bytes without;
  Writer other(without, small_metadata());
  other.write(info, cloud.inputs());
  EXPECT_EQ(status_of([&] { other.write(stored); }), Status::invalid_argument);
}

TEST(SequenceChunk, BlocksWhereTheyAreSmaller) {
  Cloud<float> cloud = walk<float>(9000, 3, 0.1, 5);
  Random random(4);
  for (float &x : cloud.positions) x = static_cast<float>(random.uniform(0, 100));
  TrajectoryEncoder encoder;
  encoder.set_order(Order::memory);
  EncodedChunk chunk;
  encoder.encode(cloud.inputs(), cloud.size(), nullptr, Box(), true, chunk);
  EXPECT_EQ(chunk_kind(chunk.bytes.data(), chunk.bytes.size()), ChunkKind::block);
}

}  // namespace
}  // namespace gpz::test::sequence_chunk_test
