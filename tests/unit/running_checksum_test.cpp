// SPDX-License-Identifier: BSD-3-Clause
// A checksum of pieces is that of the whole, with each instruction set.
#include "gpz/cpu/running_checksum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "all_kernels.hpp"
#include "codec_support.hpp"
#include "gpz/cpu/checksum_kernels.hpp"
#include "gpz/format/checksum.hpp"

namespace gpz::test {
namespace {

TEST(RunningChecksum, IsThatOfTheWhole) {
  Random random(3);
  for (const cpu::Kernels *const kernels : cpu::all_kernels()) {
    SCOPED_TRACE(kernels->name);
    cpu::RunningChecksum checksum(kernels->checksum);
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

}  // namespace
}  // namespace gpz::test
