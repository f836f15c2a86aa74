// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/crystal/integers.hpp"

#include <gtest/gtest.h>

#include "difference_support.hpp"

namespace gpz::crystal::integers_test {
namespace {

TEST(IntegerRoot, IsExact) {
  test::Random random(7);
  EXPECT_EQ(integer_root(codec::min64), 0);
  for (int round = 0; round < 100000; ++round) {
    const auto root = static_cast<std::int64_t>(random.below(std::uint64_t{1} << (1 + random.below(31))));
    const std::int64_t square = root * root;
    EXPECT_EQ(integer_root(square), root);
    EXPECT_EQ(integer_root(square + 2 * root), root);
    if (root > 0) {
      EXPECT_EQ(integer_root(square - 1), root - 1);
    }
  }
}

}  // namespace
}  // namespace gpz::crystal::integers_test
