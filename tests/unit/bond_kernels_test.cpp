// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the search for bonds of each instruction set, against plain loops.
#include "gpz/kernels/bond_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "all_kernels.hpp"
#include "codec_support.hpp"

namespace gpz::codec::bond_kernels_test {
namespace {

using test::Random;
constexpr std::size_t most = 64;

std::vector<double> numbers(std::size_t count, Random &random) {
  std::vector<double> x(count);
  for (double &value : x) value = random.below(8) == 0 ? 4.0 : random.uniform(1, 9);  // some are equal
  return x;
}

TEST(BondKernels, Minima) {
  for (const Kernels *const set : all_kernels()) {
    SCOPED_TRACE(set->name);
    Random random(1);
    for (std::size_t count = 1; count <= most; ++count) {
      const std::vector<double> other = numbers(count, random);
      EXPECT_EQ(set->bonds.least(other.data(), count), *std::min_element(other.begin(), other.end()));
      std::vector<double> lowered = numbers(count + 1, random);
      std::vector<double> expected = lowered;
      for (std::size_t k = 0; k < count; ++k) expected[k] = std::min(expected[k], other[k]);
      set->bonds.lower(other.data(), count, lowered.data());
      EXPECT_EQ(lowered, expected);
    }
  }
}

TEST(BondKernels, ShortPairs) {
  for (const Kernels *const set : all_kernels()) {
    SCOPED_TRACE(set->name);
    Random random(2);
    std::size_t found = 0;
    for (std::size_t count = 0; count <= most; ++count)
      for (const double longest : {3.0, 100.0}) {
        const std::vector<double> nearest = numbers(count, random);
        std::vector<double> squared = numbers(count, random);
        const BondLimits limits{1.25, longest, 1.000001};
        const double own = random.uniform(1, 3);
        std::uint64_t expected = 0;
        for (std::size_t k = 0; k < count; ++k) {
          const double length = std::min(limits.factor * std::max(own, nearest[k]), longest);
          const double limit = limits.margin * length * length;
          squared[k] *= squared[k];
          if (random.below(4) == 0) squared[k] = limit;  // just short enough
          if (squared[k] <= limit) expected |= std::uint64_t{1} << k;
          if (squared[k] <= limit) ++found;
        }
        EXPECT_EQ(set->bonds.find_short(squared.data(), count, own, nearest.data(), limits), expected);
      }
    EXPECT_GT(found, most);
  }
}

TEST(BondKernels, Distances) {
  constexpr std::int64_t period = 1000;
  for (const Kernels *const set : all_kernels()) {
    SCOPED_TRACE(set->name);
    Random random(3);
    core::GridBox box{};
    box[0] = {0, period};
    box[2] = {-20, period};
    std::vector<std::int64_t> q[core::max_components];
    for (auto &axis : q)
      for (std::size_t i = 0; i < 2 * most; ++i) axis.push_back(static_cast<std::int64_t>(random.below(period)) - 20);
    const std::int64_t *const columns[] = {q[0].data(), q[1].data(), q[2].data()};
    for (std::size_t count = 0; count <= most; ++count) {
      const std::size_t slot = count + random.below(most);
      std::vector<double> squared(count + 1, -1);
      set->bonds.square_distances(columns, slot, count, box, squared.data());
      for (std::size_t k = 0; k < count; ++k) {
        double expected = 0;
        for (std::size_t d = 0; d < core::max_components; ++d) {
          std::int64_t difference = q[d][slot] - q[d][slot - count + k];
          if (d != 1) difference -= difference > period / 2 ? period : difference < -period / 2 ? -period : 0;
          expected += static_cast<double>(difference * difference);
        }
        EXPECT_EQ(squared[k], expected) << k << " of " << count;
      }
      EXPECT_EQ(squared[count], -1);
    }
  }
}

}  // namespace
}  // namespace gpz::codec::bond_kernels_test
