// SPDX-License-Identifier: BSD-3-Clause
// Sums of pair forces and steps of the motion of each instruction set, against plain loops.
#include "gpz/kernels/motion_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "all_kernels.hpp"
#include "codec_support.hpp"

namespace gpz::codec::motion_kernels_test {
namespace {

using test::Random;
constexpr std::uint32_t padding = PairKernels::padding;
constexpr std::size_t stride = Motion::stride;

// Pairs of n particles, with separations up to `reach` along each axis.
struct Pairs {
  std::vector<std::uint32_t> first{0};
  std::vector<std::uint32_t> partner;
  std::vector<std::int16_t> separation[3];

  Pairs(std::uint32_t n, std::uint64_t reach, Random &random) {
    for (std::uint32_t own = 0; own < n; ++own) {
      // None, as many as a vector has lanes, one more or less.
      for (std::uint64_t left = own == 0 ? 0 : random.below(20); left > 0; --left) {
        partner.push_back(static_cast<std::uint32_t>(random.below(own)));
        for (auto &axis : separation)
          axis.push_back(static_cast<std::int16_t>(static_cast<std::int64_t>(random.below(2 * reach + 1)) -
                                                   static_cast<std::int64_t>(reach)));
      }
      first.push_back(static_cast<std::uint32_t>(partner.size()));
    }
    make_room(partner.size());
  }
  void make_room(std::size_t pairs) {
    partner.resize(pairs + padding, 0);
    for (auto &axis : separation) axis.resize(pairs + padding, -1);
  }
  // The pairs of places `begin` to `end` - 1.
  PairsOfParticles view(std::size_t begin, std::size_t end, bool shares_sums) const {
    return {begin,
            end,
            first.data() + begin,
            first.data() + begin + 1,
            partner.data(),
            {separation[0].data(), separation[1].data(), separation[2].data()},
            shares_sums};
  }
  PairsOfParticles view() const { return view(0, first.size() - 1, false); }
};

std::vector<core::PairLine> random_lines(std::uint32_t bins, Random &random) {
  constexpr std::int64_t most = (1 << 30) - 1;
  std::vector<core::PairLine> lines;
  std::int64_t value = most;
  for (std::uint32_t bin = 0; bin < bins; ++bin) {
    const std::int64_t next = bin % 3 == 0 ? -most : static_cast<std::int64_t>(random.below(2 * most)) - most;
    lines.push_back({static_cast<std::int32_t>(value), static_cast<std::int32_t>(next - value)});
    value = next;
  }
  lines.push_back({});
  return lines;
}

// docs/format.md, section 10d, one pair after the other.
std::vector<std::uint64_t> expected_sums(const Pairs &pairs, const std::vector<std::int32_t> &fine,
                                         const core::PairLines &lines) {
  const std::size_t n = pairs.first.size() - 1;
  std::vector<std::uint64_t> sums(stride * n);
  for (std::size_t own = 0; own < n; ++own)
    for (std::uint32_t pair = pairs.first[own]; pair < pairs.first[own + 1]; ++pair) {
      const std::size_t other = pairs.partner[pair];
      std::int64_t separation[3];
      std::uint64_t squared = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        separation[d] = 8 * std::int64_t{pairs.separation[d][pair]};
        if (!fine.empty()) separation[d] += std::int64_t{fine[stride * own + d]} - fine[stride * other + d];
        squared += static_cast<std::uint64_t>(separation[d] * separation[d]);
      }
      const std::uint64_t bin = squared >> lines.shift;
      if (bin >= lines.bins) continue;
      const auto rest = static_cast<std::int64_t>(squared - (bin << lines.shift));
      const core::PairLine line = lines.line[bin];
      const std::int64_t value = line.value + (line.rise * rest >> lines.shift);
      for (std::size_t d = 0; d < 3; ++d) {
        sums[stride * own + d] += static_cast<std::uint64_t>(value * separation[d]);
        sums[stride * other + d] -= static_cast<std::uint64_t>(value * separation[d]);
      }
    }
  return sums;
}

TEST(MotionKernels, SumTheForcesOfAPlainLoop) {
  Random random(3);
  for (const std::uint64_t reach : {3u, 2000u, 18918u}) {  // squared distances up to the limit of a list
    const std::uint64_t end = 64 * 3 * reach * reach + 1;
    int shift = 0;
    while (end >> shift >= 2048) ++shift;
    for (const double part : {0.0, 0.4, 1.2}) {  // of the distances have forces
      const auto bins = static_cast<std::uint32_t>(std::min(2048.0, part * static_cast<double>(end >> shift)));
      const std::vector<core::PairLine> lines = random_lines(bins, random);
      const core::PairLines curve{lines.data(), bins, shift};
      for (const std::uint32_t n : {1u, 2u, 40u, 200u}) {
        const Pairs pairs(n, reach, random);
        for (const std::int64_t most : {std::int64_t{0}, static_cast<std::int64_t>(reach), std::int64_t{1} << 25}) {
          std::vector<std::int32_t> fine;
          for (std::size_t i = 0; i < (most == 0 ? 0 : stride * n); ++i)
            fine.push_back(static_cast<std::int32_t>(static_cast<std::int64_t>(random.below(2 * most + 1)) - most));
          const std::vector<std::uint64_t> expected = expected_sums(pairs, fine, curve);
          for (const Kernels *set : all_kernels()) {
            std::vector<std::uint64_t> sums(stride * n);
            set->motion.sum_forces(pairs.view(), fine.empty() ? nullptr : fine.data(), curve, sums.data());
            ASSERT_EQ(sums, expected) << set->name << ", reach " << reach << ", " << bins << " bins";
            std::vector<std::uint64_t> in_parts(stride * n);
            for (const auto &[first, last] :
                 {std::array<std::size_t, 2>{n / 3, n}, std::array<std::size_t, 2>{0, n / 3}})
              set->motion.sum_forces(pairs.view(first, last, true), fine.empty() ? nullptr : fine.data(), curve,
                                     in_parts.data());
            ASSERT_EQ(in_parts, expected) << set->name << ", reach " << reach << ", in two parts";
          }
        }
      }
    }
  }
}

TEST(MotionKernels, TakeClosePairs) {
  Random random(4);
  for (const std::uint64_t reach : {3u, 2000u, 18918u}) {
    const Pairs pairs(150, reach, random);
    for (const std::uint64_t end : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{65},
                                    64 * reach * reach + 1, std::uint64_t{1} << 36}) {
      std::vector<std::array<std::int64_t, 5>> expected;
      for (std::uint32_t own = 0; own < 150; ++own)
        for (std::uint32_t pair = pairs.first[own]; pair < pairs.first[own + 1]; ++pair) {
          std::uint64_t squared = 0;
          for (const auto &axis : pairs.separation)
            squared += static_cast<std::uint64_t>(64 * std::int64_t{axis[pair]} * axis[pair]);
          if (squared < end)
            expected.push_back({own, pairs.partner[pair], pairs.separation[0][pair], pairs.separation[1][pair],
                                pairs.separation[2][pair]});
        }
      for (const Kernels *set : all_kernels()) {
        Pairs close = pairs;
        std::fill(close.first.begin(), close.first.end(), 77u);
        const PairList to{close.partner.data(),
                          {close.separation[0].data(), close.separation[1].data(), close.separation[2].data()}};
        ASSERT_EQ(set->motion.take_close(pairs.view(), end, close.first.data(), to), expected.size()) << set->name;
        std::vector<std::array<std::int64_t, 5>> actual;
        ASSERT_EQ(close.first[0], 0u);
        for (std::uint32_t own = 0; own < 150; ++own)
          for (std::uint32_t pair = close.first[own]; pair < close.first[own + 1]; ++pair)
            actual.push_back({own, close.partner[pair], close.separation[0][pair], close.separation[1][pair],
                              close.separation[2][pair]});
        ASSERT_EQ(actual, expected) << set->name << ", end " << end;
        for (std::size_t i = 0; i < padding; ++i) ASSERT_LT(close.partner[expected.size() + i], 150u);
      }
    }
  }
}

std::int64_t limit(std::int64_t x) { return std::clamp<std::int64_t>(x, -((1 << 30) - 1), (1 << 30) - 1); }
std::int64_t part_of(std::int64_t x, std::int64_t part) { return (x * part + 32768) >> 16; }

// An integer of up to so many bits, of any size and sign.
std::int64_t any_integer(int bits, Random &random) {
  const std::uint64_t x = random.bits() >> (64 - bits) >> random.below(static_cast<std::uint64_t>(bits));
  return random.below(2) == 0 ? static_cast<std::int64_t>(x) : -static_cast<std::int64_t>(x);
}

std::int64_t expected_force(std::uint64_t of, int list_shift) {
  const auto sum = static_cast<std::int64_t>(of);
  if (list_shift <= 19) return limit(sum >> (19 - list_shift));
  const int left = std::min(list_shift - 19, 31);
  const std::int64_t most = ((std::int64_t{1} << 30) - 1) >> left;
  return std::clamp(sum, -most, most) * (std::int64_t{1} << left);
}

TEST(MotionKernels, StartAsAPlainLoop) {
  Random random(6);
  const std::size_t n = 300;
  for (const int list_shift : {0, 19, 20, 35}) {
    for (const bool goes_on : {false, true}) {
      std::vector<std::uint64_t> total;
      std::vector<std::uint64_t> near;
      std::vector<std::int32_t> velocity;
      std::vector<std::int32_t> speed;
      std::vector<std::int32_t> expected;  // displacement
      std::vector<std::int32_t> slow;
      for (std::size_t i = 0; i < stride * n; ++i) {
        const bool none = i % stride == 3;
        total.push_back(none ? 0 : static_cast<std::uint64_t>(any_integer(63, random)));
        near.push_back(none ? 0 : static_cast<std::uint64_t>(any_integer(63, random)));
        velocity.push_back(none ? 0 : static_cast<std::int32_t>(any_integer(22, random)));
        speed.push_back(none ? 0 : static_cast<std::int32_t>(limit(any_integer(31, random))));
        // Half of the particles were where they were expected, or nearly so.
        const std::int64_t near_by = 256 * std::int64_t{velocity[i]} + any_integer(13, random);
        expected.push_back(none ? 0
                                : static_cast<std::int32_t>(limit(i / 4 % 2 == 0 ? near_by : any_integer(31, random))));
        slow.push_back(none ? 0 : static_cast<std::int32_t>(limit(any_integer(31, random))));
      }
      const MotionStart start{total.data(), goes_on, 21845, 128, 63, 19 - list_shift};
      std::size_t afresh_count = 0;
      std::vector<std::int32_t> result[4];  // speed, moved, slow, change of slow
      for (std::size_t p = 0; p < n; ++p) {
        std::int64_t wrong = 0;
        std::int64_t distance = 0;
        for (std::size_t i = stride * p; i < stride * p + 3; ++i) {
          distance += std::abs(256 * std::int64_t{velocity[i]});
          wrong += std::abs(256 * std::int64_t{velocity[i]} - expected[i]);
        }
        const bool afresh = !goes_on || (wrong >= distance && wrong >= 4096);
        afresh_count += afresh ? 1 : 0;
        for (std::size_t i = stride * p; i < stride * (p + 1); ++i) {
          const std::int64_t a = expected_force(total[i], list_shift);
          const std::int64_t moved = 256 * std::int64_t{velocity[i]};
          const std::int64_t error = moved - expected[i];
          const std::int64_t far = limit(a - expected_force(near[i], list_shift));
          result[0].push_back(static_cast<std::int32_t>(
              limit(afresh ? moved + (a >> 1) - ((a * 21845 + 65536) >> 17) : speed[i] + (error * 128 >> 6))));
          result[1].push_back(static_cast<std::int32_t>(afresh ? 0 : limit(-(error * 63 >> 6))));
          result[2].push_back(static_cast<std::int32_t>(far));
          result[3].push_back(static_cast<std::int32_t>(afresh ? 0 : limit(far - slow[i])));
        }
      }
      EXPECT_EQ(afresh_count == n, !goes_on);
      EXPECT_GT(afresh_count, n / 10);
      for (const Kernels *set : all_kernels()) {
        std::vector<std::int32_t> actual[5] = {speed, expected, std::vector<std::int32_t>(stride * n, 5), slow,
                                               velocity};
        set->motion.start(
            {near.data(), actual[0].data(), actual[1].data(), actual[2].data(), actual[3].data(), actual[4].data()}, n,
            start);
        for (std::size_t k = 0; k < 4; ++k) ASSERT_EQ(actual[k], result[k]) << set->name << ", column " << k;
        ASSERT_EQ(actual[4], std::vector<std::int32_t>(stride * n)) << set->name;
      }
    }
  }
}

TEST(MotionKernels, MakeTheStepOfAPlainLoop) {
  Random random(5);
  const std::size_t n = 101;
  for (const int list_shift : {0, 1, 19, 20, 35}) {
    for (const std::int64_t steps : {1, 3, 16}) {
      const std::int64_t part = (65536 + steps / 2) / steps;
      const MotionStep step{part, part * (steps - 1), 19 - list_shift, 5 + list_shift};
      std::vector<std::uint64_t> near;
      std::vector<std::int32_t> columns[4];  // speed, moved, slow, change of slow
      for (std::size_t i = 0; i < stride * n; ++i) {
        near.push_back(static_cast<std::uint64_t>(any_integer(63, random)));
        for (auto &column : columns) column.push_back(static_cast<std::int32_t>(limit(any_integer(31, random))));
      }
      std::vector<std::int32_t> speed;
      std::vector<std::int32_t> moved;
      std::vector<std::int32_t> fine;
      for (std::size_t i = 0; i < stride * n; ++i) {
        std::int64_t force = expected_force(near[i], list_shift);
        force += columns[2][i] + part_of(columns[3][i], step.slow_part);
        speed.push_back(static_cast<std::int32_t>(limit(columns[0][i] + part_of(force, part))));
        moved.push_back(static_cast<std::int32_t>(limit(columns[1][i] + part_of(speed[i], part))));
        const int shift = step.fine_shift;
        fine.push_back(static_cast<std::int32_t>((moved[i] + (std::int64_t{1} << (shift - 1))) >> shift));
      }
      for (const Kernels *set : all_kernels()) {
        std::vector<std::int32_t> actual[3] = {columns[0], columns[1], std::vector<std::int32_t>(stride * n)};
        set->motion.step(
            {near.data(), actual[0].data(), actual[1].data(), columns[2].data(), columns[3].data(), actual[2].data()},
            n, step);
        ASSERT_EQ(actual[0], speed) << set->name << ", shift " << list_shift;
        ASSERT_EQ(actual[1], moved) << set->name << ", shift " << list_shift;
        ASSERT_EQ(actual[2], fine) << set->name << ", shift " << list_shift;
      }
    }
  }
}

}  // namespace
}  // namespace gpz::codec::motion_kernels_test
