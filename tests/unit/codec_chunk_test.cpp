// SPDX-License-Identifier: BSD-3-Clause
// Chunks: sizes, identity, row lists, determinism, hostile bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "codec_support.hpp"
#include "gpz/error.hpp"
#include "gpz/format/checksum.hpp"
#include "gpz/kernels/block_kernels.hpp"
#include "gpz/kernels/kernels.hpp"

namespace gpz::test::codec_chunk_test {
namespace {

// Particles in the order a simulation has them in memory: neighbours in memory are neighbours in space.
std::vector<double> liquid(std::size_t particles, int components, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values;
  for (std::size_t i = 0; i < particles; ++i) {
    const std::size_t cell[3] = {i / 4 % 40, i / 160 % 40, i / 6400};
    for (int d = 0; d < components; ++d) values.push_back(1.7 * (static_cast<double>(cell[d]) + random.uniform()));
  }
  return values;
}

struct Snapshot {
  std::vector<double> x;
  std::vector<std::int32_t> id, type;
  std::vector<std::int64_t> image;
  std::vector<float> v;
  std::vector<FieldInput> fields;
  std::size_t particles;

  Snapshot(std::size_t n, int components, double bound, std::uint64_t seed)
      : x(liquid(n, components, seed)), particles(n) {
    Random random(seed + 1);
    id.resize(n);
    std::iota(id.begin(), id.end(), 1);
    for (std::size_t i = n; i > 1; --i) std::swap(id[i - 1], id[random.below(i)]);
    for (std::size_t i = 0; i < n; ++i) {
      type.push_back(static_cast<std::int32_t>(1 + random.below(3)));
      image.push_back(static_cast<std::int64_t>(random.below(3)) - 1);
      v.push_back(static_cast<float>(random.uniform(-2, 2)));
    }
    fields = {field("x", x, components, bound, true), field("id", id, 1, 0, false), field("type", type, 1, 0, false),
              field("image", image, 1, 0, false), field("v", v, 1, 1e-4, false)};
  }
};

class ChunkSizes : public testing::TestWithParam<std::tuple<std::size_t, int, double>> {};

TEST_P(ChunkSizes, EveryParticleKeepsItsCompany) {
  const auto [n, components, bound] = GetParam();
  const Snapshot s(n, components, bound, n);
  const Frame frame = decode(s.fields, encode(s.fields, n));
  std::vector<std::size_t> row_of(n + 1, n);
  for (std::size_t i = 0; i < n; ++i) row_of[static_cast<std::size_t>(s.id[i])] = i;
  const auto at = static_cast<std::size_t>(components);
  ASSERT_EQ(frame.columns[at].integers.size(), n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto id = static_cast<std::size_t>(frame.columns[at].integers[j]);
    ASSERT_LE(id, n);
    const std::size_t i = row_of[id];
    ASSERT_LT(i, n) << "id twice or unknown";
    row_of[id] = n;
    for (std::size_t d = 0; d < at; ++d) ASSERT_TRUE(within(s.x[i * at + d], frame.columns[d].floats[j], bound));
    ASSERT_EQ(frame.columns[at + 1].integers[j], s.type[i]);
    ASSERT_EQ(frame.columns[at + 2].integers[j], s.image[i]);
    ASSERT_TRUE(within(s.v[i], frame.columns[at + 3].floats[j], 1e-4));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ChunkSizes,
                         testing::Combine(testing::Values(0, 1, 2, 31, 32, 33, 1023, 1024, 1025, 2047, 2049, 5000),
                                          testing::Values(1, 2, 3), testing::Values(7.0, 0.5, 1e-3, 1e-9)));

// Blocks whose extents are around 2^31 and 2^32 grid steps, where types of 32 bits end.
TEST(Chunk, ExtentsAtTheEndOf32Bits) {
  Random random(22);
  for (const double steps : {2.1e9, 2.2e9, 3.9e9, 4.2e9, 4.4e9, 1e12}) {
    for (const std::size_t n : {2u, 3u, 50u, 1024u, 1500u}) {
      for (const int components : {1, 2, 3}) {
        std::vector<double> x;
        for (std::size_t i = 0; i < n * static_cast<std::size_t>(components); ++i)
          x.push_back(i < 2 ? static_cast<double>(i) * steps : random.uniform(0, steps));
        std::vector<std::int64_t> id(n);
        std::iota(id.begin(), id.end(), 0);
        const std::vector<FieldInput> fields = {field("x", x, components, 0.5, true), field("id", id, 1, 0, false)};
        const Frame frame = decode(fields, encode(fields, n));
        for (std::size_t j = 0; j < n; ++j)
          for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
            const auto i = static_cast<std::size_t>(frame.columns.back().integers[j]);
            ASSERT_TRUE(within(x[i * static_cast<std::size_t>(components) + d], frame.columns[d].floats[j], 0.5))
                << steps << " " << n;
          }
      }
    }
  }
}

// Few particles on consecutive grid points need no payload at all.
TEST(Chunk, BlocksWithoutPayload) {
  for (const std::vector<double> &x : {std::vector<double>{0, 1, 2}, {0, 0, 0}, {2, 0, 1, 3}, {5}}) {
    const std::vector<FieldInput> fields = {field("x", x, 1, 0.5 / (1 - 0x1p-12), true)};
    std::vector<double> got = decode(fields, encode(fields, x.size())).columns[0].floats;
    std::vector<double> expected = x;
    std::sort(got.begin(), got.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(got, expected);
  }
}

TEST(Chunk, RandomSnapshotsOfAnySize) {
  Random random(21);
  for (int round = 0; round < 3000; ++round) {
    const std::size_t n = random.below(60);
    const int components = 1 + static_cast<int>(random.below(3));
    std::vector<double> x;
    for (std::size_t i = 0; i < n * static_cast<std::size_t>(components); ++i)
      x.push_back(static_cast<double>(random.below(7)));
    const double bound = std::pow(10.0, random.uniform(-3, 1));
    const std::vector<FieldInput> fields = {field("x", x, components, bound, true)};
    const Frame frame = decode(fields, encode(fields, n));
    for (int d = 0; d < components; ++d) {
      // Sorted, since the order of particles may change: differences within the bound stay so.
      std::vector<double> expected;
      for (std::size_t i = static_cast<std::size_t>(d); i < x.size(); i += static_cast<std::size_t>(components))
        expected.push_back(x[i]);
      std::vector<double> got = frame.columns[static_cast<std::size_t>(d)].floats;
      std::sort(expected.begin(), expected.end());
      std::sort(got.begin(), got.end());
      ASSERT_EQ(got.size(), n);
      for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(within(expected[i], got[i], bound)) << "round " << round;
    }
  }
}

TEST(Chunk, RowsSelectParticles) {
  const Snapshot s(5000, 3, 0.01, 9);
  std::vector<int> rows(1666);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = 3 + 3 * static_cast<int>(i);
  const Frame frame = decode(s.fields, encode(s.fields, rows.size(), 1, rows.data()));
  std::vector<std::int64_t> expected(rows.size());
  std::transform(rows.begin(), rows.end(), expected.begin(),
                 [&](int row) { return s.id[static_cast<std::size_t>(row)]; });
  std::vector<std::int64_t> got = frame.columns[3].integers;
  std::sort(expected.begin(), expected.end());
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, expected);
}

TEST(Chunk, ColumnsThatAreNotWantedStayEmpty) {
  const Snapshot s(3000, 3, 0.01, 10);
  const EncodedChunk chunk = encode(s.fields, s.particles);
  Frame frame = frame_for(s.fields);
  decode_chunk(chunk.bytes.data(), chunk.bytes.size(), chunk.particles, frame, {false, true, false, false, false});
  EXPECT_TRUE(frame.columns[0].floats.empty());
  EXPECT_EQ(frame.columns[3].integers.size(), s.particles);
}

TEST(Chunk, SameBytesForAnyNumberOfThreads) {
  const Snapshot s(20000, 3, 0.003, 11);
  const EncodedChunk one = encode(s.fields, s.particles, 1);
  for (const int threads : {2, 3, 7, 50}) {
    const EncodedChunk many = encode(s.fields, s.particles, threads);
    EXPECT_EQ(one.bytes, many.bytes) << threads;
    EXPECT_EQ(one.checksum, many.checksum);
    EXPECT_EQ(one.largest_error, many.largest_error);
    EXPECT_EQ(decode(s.fields, one, threads).columns[0].floats, decode(s.fields, one).columns[0].floats);
  }
}

TEST(Chunk, AnEncoderCanBeUsedAgain) {
  const Snapshot big(20000, 3, 0.003, 12);
  const Snapshot small(100, 3, 0.003, 13);
  ChunkEncoder encoder(2);
  EncodedChunk chunk;
  encoder.encode(big.fields, big.particles, nullptr, chunk);
  encoder.encode(small.fields, small.particles, nullptr, chunk);
  EXPECT_EQ(chunk.bytes, encode(small.fields, small.particles).bytes);
}

// The digests pin the format: a change of the stream is a change of docs/format.md. The same files are decoded by the
// reference decoder in Python, which is the second, independent check.
TEST(Chunk, DigestsArePinned) {
  struct Case {
    std::size_t particles;
    int components;
    double bound;
    std::uint64_t digest;
  };
  for (const Case &c : {Case{4096, 3, 7.0, 889916105368076012u}, Case{4096, 3, 0.5, 13965531124541940156u},
                        Case{5000, 3, 1e-3, 15407023499906159349u}, Case{3000, 2, 1e-2, 4108511660738691698u},
                        Case{1024, 3, 1e-12, 16522111266051007674u}}) {
    const Snapshot s(c.particles, c.components, c.bound, 77);
    EXPECT_EQ(encode(s.fields, s.particles).checksum, c.digest) << c.particles << " " << c.bound;
  }
}

// Every instruction set writes the same blocks.
TEST(Kernels, AgreeOnRandomBlocks) {
  const codec::BlockKernels &generic = codec::kernels("generic")->block;
  for (const char *name : {"avx2", "avx512"}) {
    const codec::Kernels *found = codec::kernels(name);
    if (found == nullptr) {
      std::printf("this processor has no %s\n", name);
      continue;
    }
    const codec::BlockKernels &other = found->block;
    Random random(14);
    codec::Scratch a(1024);
    codec::Scratch b(1024);
    for (int round = 0; round < 1000; ++round) {
      const auto n = static_cast<std::uint32_t>(1 + random.below(1024));
      const double width = std::pow(10.0, random.uniform(-2, 3));
      std::vector<double> values(3 * 1024);
      for (auto &value : values) value = random.uniform(-width, width);
      if (round % 5 == 0) values[random.below(n)] = std::numeric_limits<double>::quiet_NaN();
      codec::BlockInput input{core::Value::float64,       3,  {&values[0], &values[1024], &values[2048]},
                              round % 3 == 0 ? 1024u : n, {}, true};
      input.grid.bound = width * std::pow(10.0, random.uniform(-9, 0));
      input.grid.step = grid_step(input.grid.bound);
      input.grid.inverse_step = 1 / input.grid.step;
      codec::BlockResult ra;
      codec::BlockResult rb;
      generic.encode(input, a, ra);
      other.encode(input, b, rb);
      ASSERT_EQ(ra.words, rb.words) << name << " round " << round;
      ASSERT_EQ(std::memcmp(a.words, b.words, ra.words * 4), 0) << name << " round " << round;
      ASSERT_EQ(ra.largest_error, rb.largest_error);
      std::vector<double> da(3 * 1024);
      std::vector<double> db(3 * 1024);
      const codec::BlockOutput oa{core::Value::float64,          3, input.grid.step, input.n, 1024,
                                  {&da[0], &da[1024], &da[2048]}};
      const codec::BlockOutput ob{core::Value::float64,          3, input.grid.step, input.n, 1024,
                                  {&db[0], &db[1024], &db[2048]}};
      ASSERT_TRUE(generic.decode(rb.record, b.words, oa, a));
      std::memcpy(a.words, b.words, rb.words * 4);
      ASSERT_TRUE(other.decode(ra.record, a.words, ob, b));
      ASSERT_EQ(std::memcmp(da.data(), db.data(), da.size() * 8), 0) << name << " round " << round;
    }
  }
}

// Bytes that are no chunk give an error or values, never an access outside (run with sanitizers). Each byte is changed:
// in one of three ways in chunks of several blocks, which are mostly values, in all of them in small ones, which are
// not.
TEST(Hostile, AnyByteChanged) {
  constexpr int flips[] = {0x01, 0x80, 0xFF};
  for (const std::size_t particles : {40, 1200})
    for (const double bound : {7.0, 0.5, 1e-3, 0.0}) {
      Snapshot s(particles, 3, bound, 15);
      if (bound == 0) s.fields[0].field.leading = false;
      const EncodedChunk chunk = encode(s.fields, s.particles);
      std::size_t errors = 0;
      for (std::size_t at = 0; at < chunk.bytes.size(); ++at) {
        for (std::size_t flip = 0; flip < 3; ++flip) {
          if (particles > 1024 && flip != at % 3) continue;
          EncodedChunk bad = chunk;
          bad.bytes[at] = static_cast<std::uint8_t>(bad.bytes[at] ^ flips[flip]);
          try {
            decode(s.fields, bad);
          } catch (const Error &error) {
            ++errors;
            const bool says_difference = at == 4 && flips[flip] == 1;
            EXPECT_TRUE(says_difference ? error.status() == Status::unsupported
                                        : error.status() == Status::corrupt || error.status() == Status::truncated)
                << error.what();
          }
        }
      }
      EXPECT_GT(errors, 100u);
    }
}

TEST(Hostile, AnyLengthCutOff) {
  const Snapshot s(1200, 3, 0.01, 16);
  const EncodedChunk chunk = encode(s.fields, s.particles);
  for (std::size_t size = 0; size < chunk.bytes.size(); ++size) {
    EncodedChunk bad = chunk;
    bad.bytes.resize(size);
    bad.bytes.shrink_to_fit();
    EXPECT_THROW(decode(s.fields, bad), Error) << size;
  }
}

TEST(Hostile, MoreParticlesThanTheChunkHas) {
  const Snapshot s(1200, 3, 0.01, 17);
  EncodedChunk chunk = encode(s.fields, s.particles);
  for (const std::uint64_t particles :
       {std::uint64_t{1199}, std::uint64_t{2048}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    chunk.particles = particles;
    try {
      const Frame frame = decode(s.fields, chunk);
      EXPECT_EQ(particles, 1199u);  // one fewer fits into the same block and only reads less of it
    } catch (const Error &error) {
      EXPECT_TRUE(error.status() == Status::corrupt || error.status() == Status::truncated) << error.what();
    }
  }
}

TEST(Hostile, WantedListsOfTheWrongLengthAreRefused) {
  const Snapshot s(10, 3, 0.01, 18);
  const EncodedChunk chunk = encode(s.fields, s.particles);
  Frame frame = frame_for(s.fields);
  EXPECT_THROW(decode_chunk(chunk.bytes.data(), chunk.bytes.size(), chunk.particles, frame, {true}), Error);
}

TEST(Refused, FieldsThatDoNotFit) {
  const std::vector<double> x(30, 1.0);
  const std::vector<std::int32_t> id(10, 1);
  auto second_leads = field("x", x, 3, 0.1, true);
  EXPECT_THROW(encode({field("id", id, 1, 0, false), second_leads}, 10), Error);
  auto lossy_id = field("id", id, 1, 0, false);
  lossy_id.field.bound = 0.5;
  EXPECT_THROW(encode({lossy_id}, 10), Error);
  auto wrong_type = field("x", x, 3, 0.1, false);
  wrong_type.field.type = ValueType::float32;
  EXPECT_THROW(encode({wrong_type}, 10), Error);
  auto no_data = field("x", x, 3, 0.1, false);
  no_data.components[1].data = nullptr;
  EXPECT_THROW(encode({no_data}, 10), Error);
}

}  // namespace
}  // namespace gpz::test::codec_chunk_test
