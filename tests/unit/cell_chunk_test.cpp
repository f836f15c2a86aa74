// SPDX-License-Identifier: BSD-3-Clause
// Cell chunks: every particle comes back, wherever particles are.
#include <numeric>

#include "cell_support.hpp"
#include "gpz/codec/cells.hpp"
#include "gpz/codec/range_coder.hpp"
#include "gpz/container.hpp"
#include "gpz/reader.hpp"
#include "gpz/trajectory.hpp"
#include "gpz/writer.hpp"

namespace gpz::test::cell_chunk_test {
namespace {

template <typename T>
Cloud<T> gas(std::size_t n, double width, double bound, int components, std::uint64_t seed) {
  Cloud<T> cloud;
  cloud.components = components;
  cloud.bound = bound;
  Random random(seed);
  for (std::size_t i = 0; i < n; ++i)
    cloud.add({random.uniform(-width, width), random.uniform(-width, width) / 3, random.uniform(0, width) + 7});
  return cloud;
}

template <typename T>
class CellChunks : public testing::Test {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CellChunks, FloatTypes, );

TYPED_TEST(CellChunks, Gas) {
  for (const int components : {1, 2, 3})
    for (const std::size_t n : {1u, 2u, 3u, 15u, 16u, 17u, 100u, 1025u, 5000u})
      for (const double bound : {0.00003, 0.01, 0.7, 30.0}) {
        const Cloud<TypeParam> cloud = gas<TypeParam>(n, 10, bound, components, n);
        const EncodedChunk chunk = cell_chunk(cloud);
        EXPECT_EQ(chunk_kind(chunk.bytes.data(), chunk.bytes.size()), ChunkKind::cells);
        expect_whole(cloud, chunk);
      }
}

TYPED_TEST(CellChunks, OneValue) {
  for (const std::size_t n : {1u, 7u, 3000u}) {
    Cloud<TypeParam> cloud;
    for (std::size_t i = 0; i < n; ++i) cloud.add({1.5, -2.25, 1e6});
    expect_whole(cloud, cell_chunk(cloud));
  }
}

TYPED_TEST(CellChunks, Clusters) {
  Random random(5);
  for (const double width : {1e-6, 0.002, 0.03}) {
    Cloud<TypeParam> cloud;
    for (int cluster = 0; cluster < 20; ++cluster) {
      const std::array<double, 3> middle{random.uniform(-900, 900), random.uniform(-900, 900), 0};
      for (int i = 0; i < 150; ++i)
        cloud.add({middle[0] + width * random.uniform(-1, 1), middle[1] + width * random.uniform(-1, 1), 0});
    }
    cloud.shuffle(random);
    expect_whole(cloud, cell_chunk(cloud));
  }
}

TYPED_TEST(CellChunks, ValuesWithoutAGrid) {
  Cloud<TypeParam> cloud = gas<TypeParam>(700, 10, 0.01, 3, 3);
  for (TypeParam &x : cloud.positions) x += 1000;
  using Limits = std::numeric_limits<TypeParam>;
  cloud.positions[0] = Limits::quiet_NaN();
  cloud.positions[1] = Limits::infinity();
  cloud.positions[3] = -Limits::infinity();
  cloud.positions[400] = Limits::max();
  cloud.positions[2099] = Limits::quiet_NaN();
  const EncodedChunk chunk = cell_chunk(cloud);
  expect_whole(cloud, chunk);
  // They do not make the box of the others wider.
  Cloud<TypeParam> finite = cloud;
  for (TypeParam &x : finite.positions)
    if (!(std::fabs(x) < 2000)) x = 1000;
  EXPECT_LT(chunk.bytes.size(), cell_chunk(finite).bytes.size() + 200);
  std::fill(cloud.positions.begin(), cloud.positions.end(), Limits::quiet_NaN());
  expect_whole(cloud, cell_chunk(cloud));
}

TEST(CellChunk, FarApart) {
  Cloud<double> cloud;
  cloud.bound = 1e-9;
  for (const double x : {-2e6, 2e6, 0.0, 1e-9, 2e6, 5e5})
    for (const double y : {-2e6, 2e6, 0.0}) cloud.add({x, y, -x});
  expect_whole(cloud, cell_chunk(cloud));
}

TEST(CellChunk, RowsOfTheCaller) {
  const Cloud<double> cloud = gas<double>(500, 10, 0.01, 3, 9);
  std::vector<int> rows(cloud.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::reverse(rows.begin(), rows.end());
  expect_whole(cloud, cell_chunk(cloud, rows));
  rows.resize(100);
  const EncodedChunk part = cell_chunk(cloud, rows);
  Frame frame = decode(cloud.inputs(), part);
  std::sort(frame.columns[3].integers.begin(), frame.columns[3].integers.end());
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(frame.columns[3].integers[i], static_cast<std::int64_t>(400 + i));
}

// The bits of n independent particles in M cells are log2 of M to the n over n factorial, and those of the tags.
TEST(CellChunk, IndependentParticlesCostWhatTheyMust) {
  const std::size_t n = 20000;
  Cloud<double> cloud = gas<double>(n, 10, 0.01, 3, 4);
  const std::vector<FieldInput> fields = cloud.inputs();
  const EncodedChunk chunk = cell_chunk(cloud);
  const double step = decode(fields, chunk).info.fields[0].step;
  const double cells = 20 / step * (20 / step / 3) * (10 / step);
  const double least = (static_cast<double>(n) * std::log2(cells) - std::lgamma(n + 1.0) / std::log(2.0)) / n;
  const auto length = format::load_little<std::uint64_t>(chunk.bytes.data() + 8);
  const double bits = static_cast<double>(length) * 8 / n;
  EXPECT_GT(bits, least - 0.05);
  EXPECT_LT(bits, least + 0.1);
}

TEST(CellChunk, WantedFieldsAlone) {
  const Cloud<double> cloud = gas<double>(300, 10, 0.01, 3, 9);
  const EncodedChunk chunk = cell_chunk(cloud);
  const Frame whole = decode(cloud.inputs(), chunk);
  for (const bool positions : {true, false}) {
    Frame frame = frame_for(cloud.inputs());
    decode_chunk(chunk.bytes.data(), chunk.bytes.size(), chunk.particles, frame, {positions, !positions});
    EXPECT_EQ(frame.columns[0].floats, positions ? whole.columns[0].floats : std::vector<double>());
    EXPECT_EQ(frame.columns[3].integers, positions ? std::vector<std::int64_t>() : whole.columns[3].integers);
  }
}

ChunkKind kind_of(const Cloud<double> &cloud, Effort effort, std::uint32_t features, EncodedChunk &chunk) {
  TrajectoryEncoder encoder;
  encoder.set_effort(effort, features);
  encoder.encode(cloud.inputs(), cloud.size(), nullptr, cloud.box, true, chunk);
  return chunk_kind(chunk.bytes.data(), chunk.bytes.size());
}

TEST(CellChunk, OnlyWhereItIsAskedForAndSmaller) {
  const Cloud<double> cloud = gas<double>(1000, 10, 0.001, 3, 9);
  EncodedChunk fast;
  EncodedChunk dense;
  EXPECT_EQ(kind_of(cloud, Effort::fast, feature::known, fast), ChunkKind::block);
  EXPECT_EQ(kind_of(cloud, Effort::standard, feature::known, fast), ChunkKind::block);
  EXPECT_EQ(kind_of(cloud, Effort::dense, feature::modelled_sections, fast), ChunkKind::block);
  EXPECT_EQ(kind_of(cloud, Effort::dense, feature::known, dense), ChunkKind::cells);
  EXPECT_LT(dense.bytes.size(), fast.bytes.size());
  expect_whole(cloud, dense);
  // One particle, or none, is smaller in a block.
  EXPECT_EQ(kind_of(gas<double>(1, 10, 0.001, 3, 9), Effort::dense, feature::known, dense), ChunkKind::block);
  EXPECT_EQ(kind_of(gas<double>(0, 10, 0.001, 3, 9), Effort::dense, feature::known, dense), ChunkKind::block);
}

TEST(CellChunk, FieldsMayBeLeftOut) {
  const Cloud<double> cloud = gas<double>(4000, 10, 0.001, 3, 9);
  const TemporaryFile file;
  Writer writer(file.path(), {});
  set_plain(writer);
  writer.set_effort(Effort::dense);
  FrameInfo info;
  info.particles = cloud.size();
  writer.write(info, cloud.inputs());
  writer.close();
  const Reader reader(file.path());
  ASSERT_EQ(reader.chunk_kind(0, 0), ChunkKind::cells);
  const Frame whole = reader.read(0);
  for (const bool positions : {true, false}) {
    StoredFrame frame = reader.stored(0);
    keep_fields(frame, {positions, !positions});
    Frame part = frame_for(cloud.inputs());
    part.info.fields = {part.info.fields[positions ? 0 : 1]};
    part.columns.erase(positions ? part.columns.begin() + 3 : part.columns.begin(),
                       positions ? part.columns.end() : part.columns.begin() + 3);
    for (auto &column : part.columns) column.field = 0;
    decode_chunk(frame.bytes.data(), frame.bytes.size(), cloud.size(), part);
    if (positions)
      EXPECT_EQ(part.columns[0].floats, whole.columns[0].floats);
    else
      EXPECT_EQ(part.columns[0].integers, whole.columns[3].integers);
  }
}

TEST(RangeCoder, AnySymbolsComeBack) {
  Random random(8);
  for (int round = 0; round < 300; ++round) {
    struct Symbol {
      int kind;
      std::uint64_t range;
      std::uint64_t value;
    };
    std::vector<Symbol> symbols;
    const std::size_t count = random.below(400);
    const std::uint64_t skew = 1 + random.below(200);
    for (std::size_t i = 0; i < count; ++i) {
      const int kind = static_cast<int>(random.below(3));
      if (kind == 0) symbols.push_back({0, random.below(3), random.below(skew) == 0 ? 1u : 0u});
      if (kind == 1) {
        const std::uint64_t outcomes = 1 + random.below(random.below(2) == 0 ? 5 : core::most_outcomes);
        symbols.push_back({1, outcomes, random.below(4) == 0 ? outcomes - 1 : random.below(outcomes)});
      }
      if (kind == 2) {
        const std::uint64_t width = random.below(57);
        symbols.push_back({2, width, random.bits() & core::low_mask(static_cast<int>(width))});
      }
    }
    codec::RangeEncoder encoder;
    std::array<core::AdaptiveBit, 3> models;
    for (const Symbol &s : symbols) {
      if (s.kind == 0) encoder.bit(models[s.range], s.value != 0);
      if (s.kind == 1) encoder.choice(static_cast<std::uint32_t>(s.range), static_cast<std::uint32_t>(s.value));
      if (s.kind == 2) encoder.plain(static_cast<int>(s.range), s.value);
    }
    Bytes bytes;
    encoder.finish(bytes);
    codec::RangeDecoder decoder(bytes.data(), bytes.size());
    models = {};
    for (const Symbol &s : symbols) {
      const std::uint64_t value = s.kind == 0   ? std::uint64_t{decoder.bit(models[s.range])}
                                  : s.kind == 1 ? decoder.choice(static_cast<std::uint32_t>(s.range))
                                                : decoder.plain(static_cast<int>(s.range));
      ASSERT_EQ(value, s.value);
    }
    decoder.finish();
  }
}

// A carry runs through words of ones.
TEST(RangeCoder, Carries) {
  for (std::uint32_t last = 0; last < 64; ++last) {
    codec::RangeEncoder encoder;
    for (int i = 0; i < 40; ++i) encoder.choice(3, i < 39 ? 1 : last % 3);
    for (int i = 0; i < 200; ++i) encoder.choice(core::most_outcomes, core::most_outcomes - 1 - (i == 190 ? last : 0));
    Bytes bytes;
    encoder.finish(bytes);
    codec::RangeDecoder decoder(bytes.data(), bytes.size());
    for (int i = 0; i < 40; ++i) ASSERT_EQ(decoder.choice(3), i < 39 ? 1 : last % 3);
    for (int i = 0; i < 200; ++i)
      ASSERT_EQ(decoder.choice(core::most_outcomes), core::most_outcomes - 1 - (i == 190 ? last : 0));
    decoder.finish();
  }
}

}  // namespace
}  // namespace gpz::test::cell_chunk_test
