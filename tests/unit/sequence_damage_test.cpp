// SPDX-License-Identifier: BSD-3-Clause
// Sequence chunks whose bytes are not what was written: values or an error, and no more memory than they are worth.
#include "hostile_chunk.hpp"
#include "sequence_support.hpp"

namespace gpz::test::sequence_damage_test {
namespace {

struct Target {
  Cloud<double> cloud;
  EncodedChunk chunk;

  Target(std::size_t n, int components) : cloud(walk<double>(n, components, 0.01, n)) {
    cloud.positions[4] = std::nan("");
    chunk = sequence_chunk(cloud);
  }

  Status read(const Bytes &bytes, std::uint64_t particles, std::size_t most = std::size_t{1} << 20) const {
    return read_hostile(cloud.inputs(), bytes, particles, most);
  }
};

TEST(HostileSequence, AnyByteChanged) {
  const Target target(120, 2);
  const Bytes &bytes = target.chunk.bytes;
  ASSERT_EQ(target.read(bytes, 120), Status::ok);
  Random random(1);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const std::uint64_t change : {std::uint64_t{1}, std::uint64_t{128}, 1 + random.below(255)}) {
      Bytes damaged = bytes;
      damaged[at] = static_cast<std::uint8_t>(bytes[at] ^ change);
      refused += target.read(damaged, 120) == Status::ok ? 0 : 1;
    }
  EXPECT_GT(refused, bytes.size());
}

TEST(HostileSequence, CutAtAnyByte) {
  const Target target(120, 1);
  expect_other_lengths_are_refused(target.chunk.bytes, [&](const Bytes &bytes) { return target.read(bytes, 120); });
}

TEST(HostileSequence, AnyBytes) {
  const Target target(300, 3);
  expect_any_bytes_are_read_or_refused(target.chunk.bytes, 300, 1000,
                                       [&](const Bytes &bytes) { return target.read(bytes, 300); });
}

TEST(HostileSequence, NumbersOfParticles) {
  const Target target(120, 3);
  const Bytes &bytes = target.chunk.bytes;
  for (const std::uint64_t particles : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{119}, std::uint64_t{121},
                                        std::uint64_t{5000}, std::uint64_t{1} << 40, ~std::uint64_t{0}})
    EXPECT_NE(target.read(bytes, particles), Status::ok) << particles;
}

}  // namespace
}  // namespace gpz::test::sequence_damage_test
