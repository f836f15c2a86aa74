// SPDX-License-Identifier: BSD-3-Clause
// Chunks in the order of ids whose bytes are not what was written: values or an error, and no more memory than they are
// worth.
#include "gpz/codec/ordered_codec.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/format/section_head.hpp"
#include "hostile_chunk.hpp"
#include "molecule_trajectory_support.hpp"
#include "ordered_support.hpp"

namespace gpz::test::ordered_damage_test {
namespace {

// A chunk with everything that one can have, and how it is read.
struct Target {
  Snapshot snapshot;
  EncodedChunk chunk;
  Frame described;

  explicit Target(std::size_t edge) {
    Gas gas = crystal(edge);
    gas.thin(0.1);
    snapshot = gas.snapshot();
    auto &x = snapshot.named("x").real;
    x[4] = std::nan("");
    x[31] = 1e300;
    x[40] = 1e11;
    x[60] = -1.1;
    snapshot.named("ix").integer[7] = 1 << 20;
    encode(0);
  }
  Target(Snapshot given, std::uint32_t features) : snapshot(std::move(given)) { encode(features); }

  void encode(std::uint32_t features) {
    chunk = ordered_chunk(snapshot, snapshot.info.particles, nullptr, features);
    described = frame_for(snapshot.inputs());
    for (Frame::Column &column : described.columns) {  // what was there before
      if (described.info.fields[column.field].type == ValueType::integer)
        column.integers.assign(3, 42);
      else
        column.floats.assign(3, 42);
    }
  }

  std::size_t section(std::size_t f) const {
    std::size_t at = 16 + 8 * snapshot.quantities.size();
    for (std::size_t k = 0; k < f; ++k) at += length(k);
    return at;
  }
  std::size_t length(std::size_t f) const {
    return static_cast<std::size_t>(format::load_little<std::uint64_t>(chunk.bytes.data() + 16 + 8 * f));
  }

  // The chunk with another section of field f.
  Bytes with_section(std::size_t f, const Bytes &section) const {
    const auto begin = chunk.bytes.begin() + static_cast<std::ptrdiff_t>(this->section(f));
    Bytes bytes(chunk.bytes.begin(), begin);
    put_u64(bytes, 16 + 8 * f, section.size());
    bytes.insert(bytes.end(), section.begin(), section.end());
    bytes.insert(bytes.end(), begin + static_cast<std::ptrdiff_t>(length(f)), chunk.bytes.end());
    return bytes;
  }

  // Values or an error, after which the columns are as they were, and no more memory than `most` at a time.
  Status read(const Bytes &damaged, std::uint64_t particles, std::size_t most = std::size_t{1} << 20) const {
    Frame frame = described;
    largest_request = 0;
    const Status status = status_of([&] { decode_chunk(damaged.data(), damaged.size(), particles, frame); });
    EXPECT_LE(largest_request, most);
    const auto allowed = {Status::ok, Status::corrupt, Status::truncated, Status::unsupported_version};
    EXPECT_NE(std::find(allowed.begin(), allowed.end(), status), allowed.end()) << static_cast<int>(status);
    const std::size_t rows = 3 + (status == Status::ok ? static_cast<std::size_t>(particles) : 0);
    for (const Frame::Column &column : frame.columns) {
      EXPECT_EQ(column.integers.size() + column.floats.size(), rows);
      EXPECT_TRUE(column.integers.empty() || column.integers[2] == 42);
      EXPECT_TRUE(column.floats.empty() || column.floats[2] == 42);
    }
    return status;
  }
  Status read(const Bytes &damaged) const { return read(damaged, chunk.particles); }
};

TEST(HostileOrder, AnyByteChanged) {
  const Target target(5);
  const Bytes &bytes = target.chunk.bytes;
  ASSERT_EQ(target.read(bytes), Status::ok);
  Random random(1);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const std::uint64_t change : {1 + random.below(255), std::uint64_t{1} << random.below(8)}) {
      Bytes damaged = bytes;
      damaged[at] = static_cast<std::uint8_t>(bytes[at] ^ change);
      refused += target.read(damaged) == Status::ok ? 0 : 1;
    }
  EXPECT_GT(refused, 300u);
}

TEST(HostileOrder, CutAtAnyByte) {
  const Target target(5);
  expect_other_lengths_are_refused(target.chunk.bytes, [&](const Bytes &bytes) { return target.read(bytes); });
}

// Positions in steps: their tables are as large as a request may be, in any chunk.
TEST(HostileOrder, StepsWithAnyByteChanged) {
  Liquid liquid(molecule::chain(12), 240, 1);
  liquid.make_helices(12);
  const Target target(liquid.snapshot(0, 0.01, false), feature::steps);
  const std::size_t begin = target.section(0), end = begin + target.length(0);
  const Bytes &bytes = target.chunk.bytes;
  ASSERT_EQ(bytes[begin], format::steps);
  ASSERT_EQ(target.read(bytes), Status::ok);
  Random random(1);
  std::size_t refused = 0;
  for (std::size_t at = begin + 1; at < end; ++at) {
    Bytes damaged = bytes;
    damaged[at] = static_cast<std::uint8_t>(bytes[at] ^ (1 + random.below(255)));
    refused += target.read(damaged) == Status::ok ? 0 : 1;
  }
  EXPECT_GT(2 * refused, end - begin);
  // The coding of another field or of another kind of chunk.
  for (std::size_t f = 1; f < target.snapshot.quantities.size(); ++f) {
    Bytes damaged = bytes;
    damaged[target.section(f)] = format::steps;
    EXPECT_EQ(target.read(damaged), Status::corrupt) << f;
  }
}

TEST(HostileOrder, AnyBytes) {
  for (const std::size_t edge : {5u, 12u}) {
    const Target target(edge);
    Random random(edge);
    constexpr int rounds = 4000;
    int refused = 0;
    for (int round = 0; round < rounds; ++round) {
      Bytes damaged = target.chunk.bytes;
      // Headers of sections, as often as what follows; sometimes all of a section.
      const std::size_t f = random.below(target.snapshot.quantities.size());
      const std::size_t reach = random.below(2) == 0 ? std::min<std::size_t>(target.length(f), 160) : target.length(f);
      const std::size_t count = random.below(8) == 0 ? reach : std::min(reach, 1 + random.below(6));
      for (std::size_t k = 0; k < count; ++k)
        damaged[target.section(f) + random.below(reach)] =
            static_cast<std::uint8_t>(random.below(2) == 0 ? random.below(40) : random.bits());
      refused += target.read(damaged) == Status::ok ? 0 : 1;
    }
    EXPECT_GT(refused, rounds / 16);
    EXPECT_LT(refused, rounds);
  }
}

// The readers of gpz before version 1 was frozen decoded these.
TEST(HostileOrder, CodingsThatLeftTheFormat) {
  const Target target(5);
  const std::size_t begin = target.section(0);
  ASSERT_EQ(target.chunk.bytes[begin], format::ordered_values);
  const auto refused = [&](std::size_t at, std::uint8_t value) {
    Bytes bytes = target.chunk.bytes;
    bytes[at] = value;
    Frame frame = target.described;
    try {
      decode_chunk(bytes.data(), bytes.size(), target.chunk.particles, frame);
    } catch (const Error &error) {
      return std::pair(error.status(), error.cause());
    }
    return std::pair(Status::ok, std::string());
  };
  const auto expected = [](const std::string &found, const std::string &commit) {
    return std::pair(Status::unsupported_version, format::left_the_format(found, commit, 0).cause());
  };
  EXPECT_EQ(refused(begin, 5), expected("a section of coding 5", format::bonds_left_behind));
  EXPECT_EQ(refused(begin, 12), expected("a section of coding 12", format::segments_left_behind));
  // Ids never had these.
  for (const std::uint8_t coding : {std::uint8_t{5}, std::uint8_t{12}})
    EXPECT_EQ(refused(target.section(1), coding).first, Status::corrupt);
}

TEST(HostileOrder, NumbersOfParticles) {
  const Target target(5);
  const Bytes &bytes = target.chunk.bytes;
  const std::uint64_t n = target.chunk.particles;
  const std::uint64_t most = 8192 * (bytes.size() + 1);
  for (const std::uint64_t particles : {std::uint64_t{0}, n - 1, n + 1, 2 * n, most, most + 1, std::uint64_t{1} << 31,
                                        std::uint64_t{1} << 32, std::uint64_t{1} << 61, UINT64_MAX - n, UINT64_MAX})
    EXPECT_NE(target.read(bytes, particles), Status::ok) << particles;
  // A directory of no bits describes any number of particles: as many as the length of the chunk allows.
  const format::ChunkRule rule = format::rule_of(ChunkKind::ordered);
  EXPECT_TRUE(format::may_have(rule, most - 1, bytes.size()));
  EXPECT_FALSE(format::may_have(rule, most, bytes.size()));
  EXPECT_NE(target.read(bytes, most - 1, 8 * (most + 2)), Status::ok);
}

TEST(HostileOrder, FieldsOfOtherTypes) {
  const Target target(5);
  const Bytes &bytes = target.chunk.bytes;
  for (const std::uint64_t identity : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{6}, UINT64_MAX}) {
    Bytes damaged = bytes;  // positions, images with three components, no field
    put_u64(damaged, 8, identity);
    EXPECT_EQ(target.read(damaged), Status::corrupt) << identity;
  }
  Bytes damaged = bytes;
  damaged[target.section(1)] = format::block_coded_values;
  EXPECT_EQ(target.read(damaged), Status::corrupt);
}

// A section that would be right for an integer.
TEST(HostileOrder, LosslessFloatsHaveNoPlaceInIt) {
  const Target target(5);
  const std::vector<std::int64_t> keys(target.chunk.particles, 1);
  Bytes section(32);
  section[0] = format::ordered_values;
  codec::encode_ordered({keys.size(), 1, nullptr, {}}, {keys.data()}, section);
  EXPECT_EQ(target.read(target.with_section(2, section)), Status::ok);
  EXPECT_EQ(target.read(target.with_section(5, section)), Status::corrupt);
}

TEST(HostileOrder, ChunksInsideOthersAreByPlace) {
  const Target target(5);
  // The tags as the only field of a chunk in the order of ids, which they are.
  Snapshot alone = target.snapshot;
  alone.quantities = {target.snapshot.quantities[2]};
  alone.quantities[0].field.components[0].name = "id";
  for (const bool by_place : {true, false}) {
    const Bytes inner = by_place ? encode(alone.inputs(), target.chunk.particles).bytes : ordered_chunk(alone).bytes;
    Bytes section(8);
    section[0] = format::block_coded_values;
    section.insert(section.end(), inner.begin(), inner.end());
    EXPECT_EQ(target.read(target.with_section(2, section)), by_place ? Status::ok : Status::corrupt);
  }
}

}  // namespace
}  // namespace gpz::test::ordered_damage_test
