// SPDX-License-Identifier: BSD-3-Clause
// What tests of transfers share.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/chunk.hpp"
#include "random_snapshot.hpp"

namespace gpz::test {

inline std::uintptr_t address(const ConstArray &array) { return reinterpret_cast<std::uintptr_t>(array.data); }

inline void expect_same(const EncodedChunk &chunk, const EncodedChunk &expected) {
  EXPECT_TRUE(chunk.bytes == expected.bytes);
  EXPECT_EQ(chunk.checksum, expected.checksum);
  EXPECT_EQ(chunk.particles, expected.particles);
  EXPECT_EQ(chunk.largest_error, expected.largest_error);
}

inline std::vector<double> random_values(std::size_t count) {
  Random random(count);
  std::vector<double> values(count);
  for (double &value : values) value = random.uniform(0, 50);
  return values;
}

}  // namespace gpz::test
