// SPDX-License-Identifier: BSD-3-Clause
// Sequence chunks whose bytes are not what was written: values or an error, and no more memory than they are worth.
#include "hostile_chunk.hpp"
#include "sequence_support.hpp"

namespace gpz::test {
namespace {

struct Target {
  Cloud<double> cloud;
  EncodedChunk chunk;

  Target(std::size_t n, int components) : cloud(walk<double>(n, components, 0.01, n)) {
    cloud.places[4] = std::nan("");
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
  const Bytes &bytes = target.chunk.bytes;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(target.read(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)), 120), Status::ok);
    Bytes longer = bytes;
    longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(size), 8, 0);
    EXPECT_NE(target.read(longer, 120), Status::ok) << size;
  }
}

TEST(HostileSequence, AnyBytes) {
  const Target target(300, 3);
  Random random(2);
  const std::size_t head = 24;
  const auto section = static_cast<std::size_t>(format::load_little<std::uint64_t>(target.chunk.bytes.data() + 8));
  constexpr int rounds = 1000;
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    Bytes damaged = target.chunk.bytes;
    const std::size_t reach = random.below(2) == 0 ? 300 : section;
    const std::size_t count = random.below(8) == 0 ? reach : 1 + random.below(6);
    for (std::size_t k = 0; k < count; ++k)
      damaged[head + random.below(reach)] =
          static_cast<std::uint8_t>(random.below(2) == 0 ? random.below(40) : random.bits());
    refused += target.read(damaged, 300) == Status::ok ? 0 : 1;
  }
  EXPECT_GT(refused, rounds / 16);
  EXPECT_LT(refused, rounds);
}

TEST(HostileSequence, NumbersOfParticles) {
  const Target target(120, 3);
  const Bytes &bytes = target.chunk.bytes;
  for (const std::uint64_t particles : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{119}, std::uint64_t{121},
                                        std::uint64_t{5000}, std::uint64_t{1} << 40, ~std::uint64_t{0}})
    EXPECT_NE(target.read(bytes, particles), Status::ok) << particles;
}

}  // namespace
}  // namespace gpz::test
