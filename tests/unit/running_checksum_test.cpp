// SPDX-License-Identifier: BSD-3-Clause
// A checksum of pieces is that of the whole, with each instruction set.
#include "gpz/codec/running_checksum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "all_kernels.hpp"
#include "codec_support.hpp"
#include "gpz/format/checksum.hpp"
#include "gpz/kernels/checksum_kernels.hpp"

namespace gpz::test::running_checksum_test {
namespace {

TEST(RunningChecksum, IsThatOfTheWhole) {
  Random random(3);
  for (const codec::Kernels *const kernels : codec::all_kernels()) {
    SCOPED_TRACE(kernels->name);
    codec::RunningChecksum checksum(kernels->checksum);
    for (int step = 0; step < 200; ++step) {
      std::vector<std::uint8_t> bytes(random.below(step < 100 ? 600 : 20000));
      for (std::uint8_t &byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
      checksum.restart();
      for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t size = std::min<std::size_t>(bytes.size() - at, random.below(3000));
        checksum.add(bytes.data() + at, size);
        at += size;
      }
      EXPECT_EQ(checksum.value(), format::xxh3(bytes.data(), bytes.size())) << bytes.size();
    }
  }
}

// Blocks are summed from the last to the first, in pieces of any number, and then added.
TEST(RunningChecksum, FromSumsOfBlocksInAnyOrder) {
  using codec::RunningChecksum;
  Random random(4);
  for (const codec::Kernels *const kernels : codec::all_kernels()) {
    SCOPED_TRACE(kernels->name);
    RunningChecksum checksum(kernels->checksum);
    for (int step = 0; step < 200; ++step) {
      const std::size_t blocks = random.below(40);
      const std::size_t end = blocks * RunningChecksum::block;
      std::vector<std::uint8_t> bytes(end + RunningChecksum::tail + random.below(3 * RunningChecksum::block));
      for (std::uint8_t &byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
      std::vector<std::uint64_t> sums(blocks * RunningChecksum::lanes);
      for (std::size_t left = blocks; left > 0;) {
        const std::size_t count = 1 + random.below(left);
        left -= count;
        checksum.sum(bytes.data() + left * RunningChecksum::block, count, sums.data() + left * RunningChecksum::lanes);
      }
      checksum.restart();
      for (std::size_t at = 0; at < blocks;) {
        const std::size_t count = 1 + random.below(blocks - at);
        checksum.add_sums(sums.data() + at * RunningChecksum::lanes, count);
        at += count;
      }
      checksum.add(bytes.data() + end, bytes.size() - end);
      EXPECT_EQ(checksum.value(), format::xxh3(bytes.data(), bytes.size())) << bytes.size();
    }
  }
}

}  // namespace
}  // namespace gpz::test::running_checksum_test
