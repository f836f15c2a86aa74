// SPDX-License-Identifier: BSD-3-Clause
// Cell chunks whose bytes are not what was written: values or an error, and no more memory than they are worth.
#include "cell_support.hpp"
#include "hostile_chunk.hpp"

namespace gpz::test::cell_damage_test {
namespace {

struct Target {
  Cloud<double> cloud;
  EncodedChunk chunk;

  explicit Target(std::size_t n) {
    Random random(n);
    for (std::size_t i = 0; i < n; ++i)
      cloud.add({random.uniform(-1, 1), random.uniform(-1, 1), i % 3 == 0 ? 0.5 : random.uniform(0, 5)});
    cloud.positions[4] = std::nan("");
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
  expect_other_lengths_are_refused(target.chunk.bytes, [&](const Bytes &bytes) { return target.read(bytes, 120); });
}

TEST(HostileCells, AnyBytes) {
  const Target target(300);
  expect_any_bytes_are_read_or_refused(target.chunk.bytes, 120, 4000,
                                       [&](const Bytes &bytes) { return target.read(bytes, 300); });
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
}  // namespace gpz::test::cell_damage_test
