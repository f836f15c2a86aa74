// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the search for bonds of each instruction set, against plain loops.
#include "gpz/kernels/bond_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "all_kernels.hpp"
#include "codec_support.hpp"

namespace gpz::codec::bond_kernels_test {
namespace {

using test::Random;

// Whole numbers, so that sums are exact.
BondRow numbers(std::size_t count, Random &random) {
  BondRow x;
  x.fill(std::numeric_limits<float>::infinity());
  for (std::size_t k = 0; k < count; ++k) x[k] = static_cast<float>(random.below(8));  // some are equal
  return x;
}

TEST(BondKernels, ShortPairs) {
  for (const Kernels *const set : all_kernels()) {
    SCOPED_TRACE(set->name);
    Random random(2);
    std::size_t found = 0;
    for (std::size_t count = 0; count <= bond_window; ++count)
      for (const float longest : {3.0F, 100.0F}) {
        const BondRow nearest = numbers(bond_row, random);
        BondRow squared = numbers(count, random);
        const BondLimits limits{1.25F, longest};
        const auto own = static_cast<float>(random.below(4));
        std::uint64_t expected = 0;
        for (std::size_t k = 0; k < count; ++k) {
          const float limit = std::min(limits.factor * std::max(own, nearest[k]), longest);
          if (random.below(4) == 0) squared[k] = limit;  // just short enough
          if (squared[k] > limit) continue;
          expected |= std::uint64_t{1} << k;
          ++found;
        }
        EXPECT_EQ(set->bonds.find_short(squared, own, nearest.data(), limits), expected);
      }
    EXPECT_GT(found, bond_window);
  }
}

TEST(BondKernels, Distances) {
  constexpr std::int32_t period = 1000;
  for (const Kernels *const set : all_kernels()) {
    SCOPED_TRACE(set->name);
    Random random(3);
    std::vector<std::int32_t> q[core::max_components];
    for (auto &axis : q)
      for (std::size_t i = 0; i < 3 * bond_row; ++i)
        axis.push_back(static_cast<std::int32_t>(random.below(period)) - 20);
    const BondPositions positions{
        {q[0].data(), q[1].data(), q[2].data()}, {period, 0, period}, {period / 2, INT32_MAX, period / 2}};
    for (std::size_t count = 0; count <= bond_window; ++count) {
      const std::size_t slot = count + random.below(bond_row);
      BondRow expected;
      expected.fill(std::numeric_limits<float>::infinity());
      for (std::size_t k = 0; k < count; ++k) {
        std::int64_t sum = 0;
        for (std::size_t d = 0; d < core::max_components; ++d) {
          std::int64_t difference = q[d][slot] - q[d][slot - count + k];
          if (d != 1) difference -= difference > period / 2 ? period : difference < -period / 2 ? -period : 0;
          sum += difference * difference;
        }
        expected[k] = static_cast<float>(sum);
      }
      BondRow squared{}, lowered;
      for (float &x : lowered) x = static_cast<float>(random.below(period * period));
      BondRow lowest = lowered;
      for (std::size_t k = 0; k < count; ++k) lowest[k] = std::min(lowest[k], expected[k]);
      EXPECT_EQ(set->bonds.measure(positions, slot, count, squared, lowered.data()),
                *std::min_element(expected.begin(), expected.end()));
      EXPECT_EQ(squared, expected) << count;
      EXPECT_EQ(lowered, lowest) << count;
    }
  }
}

}  // namespace
}  // namespace gpz::codec::bond_kernels_test
