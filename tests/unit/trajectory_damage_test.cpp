// SPDX-License-Identifier: BSD-3-Clause
// Chunks and heads of trajectories whose bytes are not what was written, with checksums that hold: an error or values,
// and no more memory than there should be.
#include "gpz/api/read_output.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/format/section_head.hpp"
#include "gpz/trajectory/chunk_reader.hpp"
#include "largest_request.hpp"
#include "trajectory_support.hpp"

namespace gpz::test::trajectory_damage_test {
namespace {

// Two difference chunks in a row with everything that they can have, and the chunks that the first one needs.
struct Chained {
  Frame described;  // no particles yet
  trajectory::ChunkReader reader;
  std::vector<EncodedChunk> chunks;

  explicit Chained(std::size_t n) {
    Gas gas(n);
    TrajectoryEncoder encoder;
    set_plain(encoder);
    std::uint64_t particles = n;
    for (int f = 0; f < 8; ++f) {
      gas.move();
      if (f >= 6) gas.thin(0.1);
      if (f >= 6) gas.add(4);
      Snapshot snapshot = gas.snapshot();
      for (double &q : snapshot.named("q").real) q = gas.random.uniform();
      if (f >= 6) {
        snapshot.named("x").real[3] = std::nan("");
        snapshot.named("x").real[31] = 1e300;
        snapshot.named("ix").integer[7] += 3;
      }
      EncodedChunk chunk;
      encoder.encode(snapshot.inputs(), snapshot.info.particles, nullptr, snapshot.info.box, f == 0, chunk);
      if (f == 0) described = frame_for(snapshot.inputs());
      if (f < 6) {
        next(reader, chunk.bytes, chunk.particles);
      } else {
        EXPECT_EQ(chunk_kind(chunk.bytes.data(), chunk.bytes.size()), ChunkKind::difference);
        const auto head = format::open_chunk(chunk.bytes.data(), chunk.bytes.size(), 6);
        EXPECT_EQ(head.before, particles);
        EXPECT_NE(head.leaving, 0u);
        EXPECT_EQ(head.arriving, 4u);
        EXPECT_EQ(chunk.bytes[head.sections[0].offset], format::predicted_values);
        EXPECT_EQ(chunk.bytes[head.sections[5].offset], format::block_coded_values);
        chunks.push_back(chunk);
      }
      particles = snapshot.info.particles;
    }
  }

  void next(trajectory::ChunkReader &to, const Bytes &bytes, std::uint64_t particles) const {
    const auto &fields = described.info.fields;
    to.next(format::open_chunk(bytes.data(), bytes.size(), fields.size()), particles, fields, {}, 1);
  }
  void write(const trajectory::ChunkReader &from) const {
    Frame frame = described;
    const auto targets = api::frame_targets(frame, {}, from.particles());
    for (std::size_t f = 0; f < targets.size(); ++f) from.write(f, targets[f]);
  }

  // Values or an error, and no more memory than what was written needs.
  Status expect_harmless(const Bytes &damaged) const {
    largest_request = 0;
    trajectory::ChunkReader after = reader;
    const Status status = status_of([&] {
      next(after, damaged, chunks[0].particles);
      ASSERT_EQ(after.particles(), chunks[0].particles);
      write(after);
      next(after, chunks[1].bytes, chunks[1].particles);
      write(after);
    });
    // A coding may become one that left the format.
    EXPECT_TRUE(status == Status::ok || status == Status::corrupt || status == Status::truncated ||
                status == Status::unsupported_version)
        << static_cast<int>(status);
    EXPECT_LT(largest_request, std::size_t{1} << 20);
    return status;
  }
};

TEST(HostileDifferences, AnyByteChanged) {
  const Chained chain(120);
  const Bytes &bytes = chain.chunks[0].bytes;
  ASSERT_EQ(chain.expect_harmless(bytes), Status::ok);
  Random random(1);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    Bytes damaged = bytes;
    damaged[at] = static_cast<std::uint8_t>(bytes[at] ^ (1 + random.below(255)));
    refused += chain.expect_harmless(damaged) == Status::ok ? 0 : 1;
    damaged[at] = static_cast<std::uint8_t>(bytes[at] ^ (1u << random.below(8)));
    refused += chain.expect_harmless(damaged) == Status::ok ? 0 : 1;
  }
  EXPECT_GT(refused, 300u);
}

TEST(HostileDifferences, CutAtAnyByte) {
  const Chained chain(120);
  const Bytes &bytes = chain.chunks[0].bytes;
  for (std::size_t size = 0; size < bytes.size(); size += size < 300 ? 1 : 3) {
    const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_NE(chain.expect_harmless(cut), Status::ok) << size;
    Bytes longer = bytes;
    longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(size), 8, 0);
    if (size % 5 == 0) {
      EXPECT_NE(chain.expect_harmless(longer), Status::ok) << size;
    }
  }
}

TEST(HostileDifferences, AnyBytes) {
  for (const std::size_t n : {120u, 1500u}) {
    const Chained chain(n);
    const Bytes &bytes = chain.chunks[0].bytes;
    const auto head = format::open_chunk(bytes.data(), bytes.size(), 6);
    Random random(n);
    constexpr int rounds = 3000;
    int refused = 0;
    for (int round = 0; round < rounds; ++round) {
      Bytes damaged = bytes;
      // Headers of sections, as often as what follows; sometimes all of a section.
      const auto &section = head.sections[random.below(6)];
      const std::size_t reach = random.below(2) == 0 ? std::min<std::size_t>(section.size, 80) : section.size;
      const std::size_t count = random.below(8) == 0 ? reach : std::min(reach, 1 + random.below(6));
      for (std::size_t k = 0; k < count; ++k)
        damaged[section.offset + random.below(reach)] = random.below(2) == 0
                                                            ? static_cast<std::uint8_t>(random.below(40))
                                                            : static_cast<std::uint8_t>(random.bits());
      refused += chain.expect_harmless(damaged) == Status::ok ? 0 : 1;
    }
    EXPECT_GT(refused, rounds / 16);
    EXPECT_LT(refused, rounds);
  }
}

// A chunk in the order of ids, of particles that are next to each other if their ids are.
TEST(HostileOrder, AnyByteChangedOrCut) {
  Gas gas(400);
  for (std::size_t i = 0; i < gas.particles.size(); ++i) {
    gas.particles[i].id += static_cast<std::int64_t>(i / 50);
    for (double &position : gas.particles[i].position) position = static_cast<double>(i) / 500;
  }
  const Snapshot snapshot = gas.snapshot();
  TrajectoryEncoder encoder;
  set_plain(encoder);
  encoder.set_order(Order::id);
  EncodedChunk chunk;
  encoder.encode(snapshot.inputs(), 400, nullptr, snapshot.info.box, true, chunk);
  ASSERT_EQ(chunk_kind(chunk.bytes.data(), chunk.bytes.size()), ChunkKind::ordered);
  const Frame described = frame_for(snapshot.inputs());
  const auto expect_harmless = [&](const Bytes &bytes) {
    largest_request = 0;
    Frame frame = described;
    const Status status = status_of([&] { decode_chunk(bytes.data(), bytes.size(), 400, frame); });
    EXPECT_TRUE(status == Status::ok || status == Status::corrupt || status == Status::truncated);
    EXPECT_LT(largest_request, std::size_t{1} << 20);
    return status;
  };
  ASSERT_EQ(expect_harmless(chunk.bytes), Status::ok);
  Random random(7);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < chunk.bytes.size(); ++at) {
    const Bytes cut(chunk.bytes.begin(), chunk.bytes.begin() + static_cast<std::ptrdiff_t>(at));
    EXPECT_NE(expect_harmless(cut), Status::ok) << at;
    Bytes damaged = chunk.bytes;
    for (int k = 0; k < 2; ++k) {
      damaged[at] = static_cast<std::uint8_t>(random.bits());
      refused += expect_harmless(damaged) == Status::ok ? 0 : 1;
    }
    for (int k = 0; k < 4; ++k) damaged[random.below(damaged.size())] = static_cast<std::uint8_t>(random.below(64));
    refused += expect_harmless(damaged) == Status::ok ? 0 : 1;
  }
  EXPECT_GT(refused, 300u);
  EXPECT_LT(refused, 3 * chunk.bytes.size());  // most bytes are values
}

TEST(HostileHeads, WithTrueChecksums) {
  const Bytes good = chained_file(4, 4, false);
  const auto positions = scan_bytes(good).frames;
  const std::size_t head = format::load_little<std::uint32_t>(good.data() + positions[2].offset + 12);
  for (std::size_t at = 24; at < 24 + head; ++at)
    for (const unsigned change : {1u, 0x80u, 0xFFu}) {
      Bytes bytes = good;
      bytes[positions[2].offset + at] = static_cast<std::uint8_t>(bytes[positions[2].offset + at] ^ change);
      mend_record(bytes, positions[2].offset);
      largest_request = 0;
      status_of([&] {
        const Reader reader = reader_of(bytes);
        for (std::size_t i = reader.frames(); i-- > 0;) {
          const Status status = status_of([&] { reader.read(i); });
          EXPECT_TRUE(status != Status::ok || i != 3) << "byte " << at;
        }
      });
      EXPECT_LT(largest_request, std::size_t{1} << 20) << at;
    }
}

}  // namespace
}  // namespace gpz::test::trajectory_damage_test
