// SPDX-License-Identifier: BSD-3-Clause
// The pairs that each instruction set finds, against a plain loop over all candidates.
#include "gpz/kernels/pair_kernels.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <tuple>
#include <vector>

#include "all_kernels.hpp"
#include "codec_support.hpp"

namespace gpz::codec::pair_kernels_test {
namespace {

using test::Random;
using Pair = std::tuple<std::uint32_t, std::int64_t, std::int64_t, std::int64_t>;  // partner, separation
constexpr std::uint32_t padding = PairKernels::padding;

struct Candidates {
  std::vector<std::int32_t> at[3];
  std::vector<std::uint32_t> index;
  std::vector<std::uint32_t> distance;

  explicit Candidates(std::size_t count) : index(count + padding), distance(count + padding) {
    for (auto &axis : at) axis.resize(count + padding);
  }
  PairCandidates view() { return {{at[0].data(), at[1].data(), at[2].data()}, index.data(), distance.data()}; }
};

struct Case {
  std::int32_t own[3];
  std::int32_t period[3];
  std::uint32_t limit;
  std::int64_t spread;  // of the candidates around the particle
};

std::int64_t shortest(std::int64_t separation, std::int64_t period) {
  if (period == 0) return separation;
  if (separation > period / 2) return separation - period;
  return separation < -(period / 2) ? separation + period : separation;
}

std::vector<Pair> expected_pairs(const Case &of, const Candidates &candidates, std::uint32_t count) {
  std::vector<Pair> pairs;
  for (std::uint32_t k = 0; k < count; ++k) {
    std::int64_t separation[3];
    std::int64_t squared = 0;
    for (int d = 0; d < 3; ++d) {
      separation[d] = shortest(std::int64_t{of.own[d]} - candidates.at[d][k], of.period[d]);
      squared += separation[d] * separation[d];
    }
    if (squared < of.limit) pairs.emplace_back(candidates.index[k], separation[0], separation[1], separation[2]);
  }
  return pairs;
}

TEST(PairKernels, FindThePairsOfAPlainLoop) {
  Random random(1);
  const Case cases[] = {
      {{500, 600, 700}, {0, 0, 0}, 300 * 300, 400},
      {{500, 600, 700}, {1000, 0, 1401}, 300 * 300, 500},
      {{0, 0, 0}, {0, 0, 0}, 32767u * 32767u, 40000},  // the largest reach: separations of all of 16 bits
      {{1 << 29, 3, 1 << 29}, {1 << 30, 0, (1 << 30) - 1}, 32767u * 32767u, 1 << 29},
      {{9, 9, 9}, {0, 0, 0}, 1, 1},
      {{1 << 29, 0, 0}, {0, 0, 0}, 1u << 20, 1 << 30},
  };
  for (const Case &of : cases) {
    std::size_t most = 0;
    for (std::uint32_t count = 0; count < 80; ++count) {
      Candidates candidates(count);
      for (std::uint32_t k = 0; k < count + padding; ++k) {
        candidates.index[k] = static_cast<std::uint32_t>(random.bits());
        // Many are near in spite of a wide spread.
        const int narrower = static_cast<int>(random.below(26));
        for (int d = 0; d < 3; ++d) {
          const std::int64_t spread = std::max<std::int64_t>(of.spread >> narrower, 1);
          candidates.at[d][k] = static_cast<std::int32_t>(
              of.own[d] - spread + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * spread))));
        }
      }
      const std::vector<Pair> expected = expected_pairs(of, candidates, count);
      most = std::max(most, expected.size());
      for (const Kernels *set : all_kernels()) {
        std::vector<std::uint32_t> partner(count + padding);
        std::vector<std::int16_t> separation[3];
        for (auto &axis : separation) axis.resize(count + padding);
        const std::uint32_t found =
            set->pairs.find_near(of.own, candidates.view(), count, of.period, of.limit,
                                 {partner.data(), {separation[0].data(), separation[1].data(), separation[2].data()}});
        std::vector<Pair> actual;
        for (std::uint32_t i = 0; i < found; ++i)
          actual.emplace_back(partner[i], separation[0][i], separation[1][i], separation[2][i]);
        ASSERT_EQ(actual, expected) << set->name << ", " << count << " candidates";
      }
    }
    EXPECT_GE(most, 10u);
  }
}

TEST(PairKernels, TakeCandidatesFromRuns) {
  Random random(2);
  constexpr std::uint32_t n = 300;
  std::vector<std::int32_t> at[3];
  for (auto &axis : at)
    for (std::uint32_t i = 0; i < n + padding; ++i) axis.push_back(static_cast<std::int32_t>(random.below(1 << 30)));
  const std::int32_t *const from[3] = {at[0].data(), at[1].data(), at[2].data()};
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<CandidateRun> runs;
    std::vector<std::array<std::int64_t, 4>> expected;
    for (std::uint32_t begin = 0; begin < n;) {
      const std::uint32_t end = std::min<std::uint32_t>(n, begin + 1 + static_cast<std::uint32_t>(random.below(50)));
      CandidateRun run{begin, end, {}};
      for (std::int32_t &shift : run.shift) shift = static_cast<std::int32_t>(random.below(3)) * (1 << 28) - (1 << 28);
      runs.push_back(run);
      for (std::uint32_t i = begin; i < end; ++i)
        expected.push_back({i, std::int64_t{at[0][i]} + run.shift[0], std::int64_t{at[1][i]} + run.shift[1],
                            std::int64_t{at[2][i]} + run.shift[2]});
      begin = end + static_cast<std::uint32_t>(random.below(20));
    }
    for (const Kernels *set : all_kernels()) {
      Candidates candidates(expected.size());
      set->pairs.take_candidates(from, runs.data(), runs.size(), candidates.view());
      for (std::size_t k = 0; k < expected.size(); ++k) {
        const std::array<std::int64_t, 4> actual{candidates.index[k], candidates.at[0][k], candidates.at[1][k],
                                                 candidates.at[2][k]};
        ASSERT_EQ(actual, expected[k]) << set->name;
      }
    }
  }
}

// The largest integer whose square is at most x.
std::int64_t root(std::int64_t x) {
  std::int64_t low = 0;
  std::int64_t high = 1 << 16;
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (middle * middle <= x ? low : high) = middle;
  }
  return low;
}

TEST(PairKernels, FindDirectionsInIntegers) {
  Random random(3);
  constexpr std::size_t count = 5003;
  std::vector<std::int16_t> separation[3];
  for (std::size_t k = 0; k < count; ++k) {
    // Squares below 2^30, many of them squares of integers or one less.
    const std::int64_t reach = std::int64_t{18918} >> random.below(15);
    for (auto &axis : separation) {
      const auto x = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * reach + 1))) - reach;
      axis.push_back(static_cast<std::int16_t>(random.below(4) == 0 ? 0 : x));
    }
  }
  separation[0][0] = 32767;
  separation[1][0] = separation[2][0] = 0;
  const std::int32_t radii[] = {9, 1000, 1000000, 0};
  for (const Kernels *set : all_kernels()) {
    std::vector<PairDirection> directions(count);
    const std::int16_t *const separations[3] = {separation[0].data(), separation[1].data(), separation[2].data()};
    set->pairs.find_directions(separations, count, radii, 4, directions.data());
    for (std::size_t k = 0; k < count; ++k) {
      std::int64_t squared = 0;
      for (const auto &axis : separation) squared += std::int64_t{axis[k]} * axis[k];
      const std::int64_t inverse = (1 << 26) / (root(squared) + 1);
      for (int d = 0; d < 3; ++d) ASSERT_EQ(directions[k].along[d], separation[d][k] * inverse >> 16) << set->name;
      ASSERT_EQ(directions[k].shell, squared < 9 ? 0 : squared < 1000 ? 1 : squared < 1000000 ? 2 : 3) << set->name;
    }
  }
}

}  // namespace
}  // namespace gpz::codec::pair_kernels_test
