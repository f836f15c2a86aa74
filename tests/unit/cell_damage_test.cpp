// SPDX-License-Identifier: BSD-3-Clause
// Cell chunks whose bytes are not what was written: values or an error, and no more memory than they are worth.
#include "cell_support.hpp"
#include "hostile_chunk.hpp"

namespace gpz::test {
namespace {

struct Target {
  Cloud<double> cloud;
  EncodedChunk chunk;

  explicit Target(std::size_t n) {
    Random random(n);
    for (std::size_t i = 0; i < n; ++i)
      cloud.add({random.uniform(-1, 1), random.uniform(-1, 1), i % 3 == 0 ? 0.5 : random.uniform(0, 5)});
    cloud.places[4] = std::nan("");
    chunk = cell_chunk(cloud);
  }

  Status read(const Bytes &bytes, std::uint64_t particles, std::size_t most = std::size_t{1} << 20) const {
    return read_hostile(cloud.inputs(), bytes, particles, most);
  }
};

TEST(HostileCells, AnyByteChanged) {
  const Target target(120);
  const Bytes &bytes = target.chunk.bytes;
  ASSERT_EQ(target.read(bytes, 120), Status::ok);
  Random random(1);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      Bytes damaged = bytes;
      damaged[at] = static_cast<std::uint8_t>(bytes[at] ^ (bit < 7 ? 1u << bit : 1 + random.below(255)));
      refused += target.read(damaged, 120) == Status::ok ? 0 : 1;
    }
  EXPECT_GT(refused, 1000u);
}

TEST(HostileCells, CutAtAnyByte) {
  const Target target(120);
  const Bytes &bytes = target.chunk.bytes;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(target.read(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)), 120), Status::ok);
    Bytes longer = bytes;
    longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(size), 8, 0);
    EXPECT_NE(target.read(longer, 120), Status::ok) << size;
  }
}

TEST(HostileCells, AnyBytes) {
  const Target target(300);
  Random random(2);
  const std::size_t head = 24;
  const auto section = static_cast<std::size_t>(format::load_little<std::uint64_t>(target.chunk.bytes.data() + 8));
  constexpr int rounds = 4000;
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    Bytes damaged = target.chunk.bytes;
    const std::size_t reach = random.below(2) == 0 ? 120 : section;
    const std::size_t count = random.below(8) == 0 ? reach : 1 + random.below(6);
    for (std::size_t k = 0; k < count; ++k)
      damaged[head + random.below(reach)] =
          static_cast<std::uint8_t>(random.below(2) == 0 ? random.below(40) : random.bits());
    refused += target.read(damaged, 300) == Status::ok ? 0 : 1;
  }
  EXPECT_GT(refused, rounds / 16);
  EXPECT_LT(refused, rounds);
}

TEST(HostileCells, NumbersOfParticles) {
  const Target target(120);
  const Bytes &bytes = target.chunk.bytes;
  const std::uint64_t most = 8192 * (bytes.size() + 1);
  for (const std::uint64_t particles :
       {std::uint64_t{0}, std::uint64_t{119}, std::uint64_t{121}, std::uint64_t{240}, most, std::uint64_t{1} << 31,
        std::uint64_t{1} << 32, std::uint64_t{1} << 61, UINT64_MAX - 120, UINT64_MAX})
    EXPECT_NE(target.read(bytes, particles, particles < most ? std::size_t{1} << 20 : 4096), Status::ok) << particles;
}

}  // namespace
}  // namespace gpz::test
