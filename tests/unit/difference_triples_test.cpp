// SPDX-License-Identifier: BSD-3-Clause
// Blocks of small residuals: coded as triples where that is smaller, and close to their entropy; every index comes
// back, and the decoder of difference_decoder.hpp agrees.
#include <gtest/gtest.h>

#include <cmath>

#include "difference_decoder.hpp"
#include "gpz/core/triples.hpp"

namespace gpz::codec::difference_triples_test {
namespace {

// Vibration about places between the steps of the grid.
Trajectory trembling(std::size_t n, std::size_t steps, double sigma, const GridBox &box = {}) {
  Random random(n);
  Trajectory t;
  t.box = box;
  std::array<std::vector<double>, 3> position;
  for (auto &axis : position)
    for (std::size_t i = 0; i < n; ++i) axis.push_back(random.uniform(0, 30000));
  for (std::size_t s = 0; s < steps; ++s) {
    Frame q = empty_frame(n);
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < n; ++i) q[d][i] = rounded(position[d][i] + sigma * normal(random));
    t.frames.push_back(q);
  }
  return t;
}

// The last frame as the encoder has it, decoded by both decoders.
Section last_section(const Trajectory &t, bool neighbours = false) {
  const std::size_t s = t.frames.size() - 1;
  const auto bytes = encoded(state_after(t, s), t.frames[s], t.box, neighbours);
  EXPECT_EQ(decode_slowly(t, s, bytes), t.frames[s]);
  EXPECT_EQ(bytes[0], neighbours ? 2 : 1);
  return in_parts(bytes, t.frames[0][0].size());
}

// Bits of the last displacements, if those of each axis take their entropy.
double entropy_of_residuals(const Trajectory &t, const Section &section) {
  const std::size_t s = t.frames.size() - 1;
  const auto n = t.frames[0][0].size();
  double bits = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    std::map<Wide, double> count;
    for (std::size_t i = 0; i < n; ++i) {
      const auto x = unwrapped(t, s, d, i);
      ++count[t.frames[s][d][i] - x.back() - floor_divided(expected_in_time(x, section.prediction), 64)];
    }
    for (const auto &[value, times] : count) bits -= times * std::log2(times / static_cast<double>(n));
  }
  return bits;
}

double payload_bits(const Section &section) { return 8 * static_cast<double>(section.payload.size()); }

TEST(DifferenceTriples, RanksAreInTheOrderOfDistances) {
  const core::TripleRanks ranks = core::rank_triples();
  for (std::uint32_t between = 0; between < 8; ++between) {
    const auto eighths = [between](std::uint32_t d) { return (between >> d & 1) != 0 ? 3 : 1; };
    const auto ranked = ranked_triples({eighths(0), eighths(1), eighths(2)});
    std::vector<bool> seen(core::triples);
    for (std::uint32_t rank = 0; rank < core::triples; ++rank) {
      const std::uint32_t triple = ranks.triple[between][rank];
      ASSERT_LT(triple, core::triples);
      EXPECT_EQ(triple, ranked[rank][0] * 64 + ranked[rank][1] * 8 + ranked[rank][2]) << between << " " << rank;
      EXPECT_EQ(ranks.rank[between][triple], rank);
      EXPECT_FALSE(seen[triple]);
      seen[triple] = true;
    }
    EXPECT_EQ(ranks.triple[between][0], 0);
  }
  // From a quarter below a step on to less than a quarter above it.
  for (std::int32_t expected = -640; expected < 640; ++expected) {
    const std::int32_t above = ((expected % 64) + 64) % 64 - 32;  // in 1/64
    const bool between = above < -16 || above >= 16;
    for (std::uint32_t d = 0; d < 3; ++d)
      EXPECT_EQ(core::between_mask(d == 0 ? expected : 32, d == 1 ? expected : 32, d == 2 ? expected : 32),
                between ? 1u << d : 0u);
  }
}

TEST(DifferenceTriples, SmallerThanByAxis) {
  for (const auto &[sigma, most] : {std::pair{0.2, 0.4}, {0.4, 0.85}, {0.6, 0.95}, {0.8, 0.98}}) {
    SCOPED_TRACE(sigma);
    const Trajectory t = random_walk(8192, 2, sigma, 1);
    const Section section = last_section(t);
    EXPECT_EQ(section.triples(), 8u);
    double by_axis = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      DifferenceState state;
      state.start({t.frames[0][d].data()}, 8192, 1);
      by_axis += payload_bits(in_parts(encoded(state, {t.frames[1][d]}, {}), 8192, 1));
    }
    EXPECT_LT(payload_bits(section), most * by_axis);
    // Nothing is below a bit.
    EXPECT_LT(payload_bits(section), std::max(8192 * 1.2, entropy_of_residuals(t, section) + 8192 * 0.5));
  }
}

// Which side of a step is expected tells more than a residual alone.
TEST(DifferenceTriples, FractionsOfStepsCount) {
  for (const double sigma : {0.2, 0.3, 0.4, 0.6})
    for (const std::size_t frames : {5u, 12u, 40u}) {
      const Trajectory t = trembling(8192, frames, sigma);
      const Section section = last_section(t);
      EXPECT_EQ(section.triples(), 8u);
      EXPECT_LT(payload_bits(section), 0.98 * entropy_of_residuals(t, section)) << sigma << " " << frames;
    }
}

TEST(DifferenceTriples, EachBlockHasItsOwnChoice) {
  Trajectory t = random_walk(3 * 1024 + 200, 2, 0.5, 1);
  Random random(2);
  for (auto &axis : t.frames[1])
    for (std::size_t i = 1024; i < 2048; ++i) axis[i] += gaussian(random, 30);
  const Section section = last_section(t);
  EXPECT_TRUE(section.blocks[0].triples());
  EXPECT_FALSE(section.blocks[1].triples());
  EXPECT_TRUE(section.blocks[2].triples());
  EXPECT_TRUE(section.blocks[3].triples());
}

TEST(DifferenceTriples, AllSizes) {
  for (const std::size_t n : {1u, 2u, 31u, 32u, 33u, 1023u, 1024u, 1025u, 2100u})
    for (const bool neighbours : {false, true}) {
      SCOPED_TRACE(n);
      for (const Trajectory &t : {random_walk(n, 5, 0.5, n), trembling(n, 6, 0.4), trembling(n, 6, 0.1),
                                  crystal(n, 7, 0.4, {900, 9000, 70000})}) {
        const auto bytes = encoded(state_after(t, 4), t.frames[4], t.box, neighbours);
        EXPECT_EQ(decode_slowly(t, 4, bytes), t.frames[4]);
        if (n > 1000 && n != 1025) {
          EXPECT_EQ(in_parts(bytes, n).triples(), (n + 1023) / 1024);
        }
      }
    }
}

// 0 is expected: positive residuals up to 4 and negative ones down to -3 have numbers below 8.
TEST(DifferenceTriples, WhatIsTooLargeIsAnException) {
  const std::int64_t far = std::int64_t{1} << 40;
  Trajectory t = random_walk(3 * 1024 + 300, 2, 0.7, 5);
  const auto jump = [&t](std::size_t d, std::size_t i, std::int64_t r) { t.frames[1][d][i] = t.frames[0][d][i] + r; };
  jump(0, 0, 4);
  jump(2, 700, -3);
  jump(1, 1024 + 400, 5);
  jump(2, 1024 + 400, -4);
  for (std::size_t d = 0; d < 3; ++d) jump(d, 2048 + 1023, -far);
  jump(2, 3072, far);
  jump(0, 3072 + 299, -1000 * far);
  const Section section = last_section(t);
  const std::size_t exceptions[] = {0, 2, 3, 2};
  for (std::size_t b = 0; b < 4; ++b) {
    EXPECT_TRUE(section.blocks[b].triples()) << b;
    EXPECT_EQ(section.blocks[b].exceptions, exceptions[b]) << b;
  }
}

// A rank of some hundred is longer than an exception where most are 0: the largest number leaves the triple.
TEST(DifferenceTriples, RanksThatAreTooLongLoseTheirLargestNumber) {
  constexpr std::size_t n = 1024;
  Random random(6);
  Trajectory t;
  t.frames.push_back(empty_frame(n));
  Frame q = empty_frame(n);
  for (auto &axis : q)
    for (auto &x : axis) x = random.below(12) == 0 ? 1 : 0;
  q[1][300] = 4;
  q[0][700] = q[2][700] = 4;
  t.frames.push_back(q);
  const Section section = last_section(t);
  EXPECT_EQ(section.triples(), 1u);
  EXPECT_EQ(section.blocks[0].exceptions, 3u);
}

// Exceptions of ranks are counted as what they are, three: fewer that move are never larger.
TEST(DifferenceTriples, FewParticlesMove) {
  const auto size_with = [](std::size_t moving) {
    Trajectory t;
    t.frames.assign(2, empty_frame(1024));
    for (auto &axis : t.frames[1])
      for (std::size_t i = 0; i < moving; ++i) axis[i * 60] = -1;
    return last_section(t).payload.size();
  };
  const std::size_t with_16 = size_with(16);
  EXPECT_LT(with_16, 1024u / 8 + 16u * 6);
  for (std::size_t moving = 1; moving < 16; ++moving) EXPECT_LE(size_with(moving), with_16) << moving;
}

// A crystal whose particles are in this periodic image or that; some jump in the last frame, a little or far.
TEST(DifferenceTriples, BeyondEdges) {
  for (const std::int64_t jump : {0, 9, 200, 4000})
    for (const std::size_t n : {2048u, 2500u}) {
      SCOPED_TRACE(jump);
      Trajectory t = crystal(n, 8, 0.4, {900, 9000, 70000});
      for (std::size_t i = 0; jump != 0 && i < n; i += jump < 10 ? 450 : 130)
        t.frames.back()[i % 3][i] += i % 4 < 2 ? jump : -jump;
      const Section section = last_section(t);
      EXPECT_EQ(section.triples(), section.blocks.size());
      for (const auto &block : section.blocks) {
        EXPECT_NE(block.flags, 0u);
        EXPECT_EQ(block.exceptions != 0, jump != 0);
      }
    }
}

TEST(DifferenceTriples, WithNeighbours) {
  for (const bool jumps : {false, true}) {
    Trajectory t = molecules(5000, 6, 6, 0.5, 0.2);
    for (std::size_t i = 0; jumps && i < 5000; i += 400) t.frames.back()[i % 3][i] += i % 800 == 0 ? 12 : -100000;
    const Section with = last_section(t, true);
    const Section without = last_section(t);
    EXPECT_EQ(with.triples(), 5u);
    EXPECT_LT(payload_bits(with), 0.7 * payload_bits(without));
    for (const auto &block : with.blocks) EXPECT_EQ(block.exceptions != 0, jumps);
  }
}

TEST(DifferenceTriples, FewerAxesHaveNone) {
  const Trajectory t = trembling(2100, 6, 0.4);
  for (const int components : {1, 2})
    for (const bool neighbours : {false, true}) {
      const auto bytes = encoded(state_after(t, 5, components), t.frames[5], {}, neighbours);
      EXPECT_EQ(in_parts(bytes, 2100, static_cast<std::size_t>(components)).triples(), 0u);
    }
}

// Sections out of nothing: blocks of 1,024 particles, without and with neighbours.
const std::vector<std::uint8_t> predictions[] = {{1, 30, 230, 50}, {2, 30, 230, 50, 2, 2, 20, 236, 10, 90}};

Section one_block(const std::vector<std::uint8_t> &prediction, const Section::Block &block,
                  const std::vector<std::uint8_t> &payload, std::size_t components = 3) {
  return {components, prediction, {block}, payload};
}

TEST(DifferenceTriples, AnyRankIsATriple) {
  const Trajectory t = trembling(1024, 6, 4);
  Random random(3);
  for (const auto &prediction : predictions) {
    std::vector<std::uint8_t> ranks(1024 * 9 / 8);
    for (auto &byte : ranks) byte = static_cast<std::uint8_t>(random.bits());
    const auto bytes = put_together(one_block(prediction, {{9, 0, 0}, {5, 1, 1}}, ranks));
    const Frame wanted = decode_slowly(t, 6, bytes);
    for (const auto *kernels : all_kernels()) {
      Frame decoded = empty_frame(1024);
      decode_difference(state_after(t, 6), bytes.data(), bytes.size(), {}, output(decoded), *kernels);
      EXPECT_EQ(decoded, wanted) << kernels->name;
    }
  }
}

TEST(DifferenceTriples, WrongCodesAreRefused) {
  const Trajectory t = trembling(1024, 5, 4);
  for (const auto &prediction : predictions) {
    const auto refused = [&](const Section::Block &block, std::size_t payload, int fill = 0, int components = 3) {
      const std::vector<std::uint8_t> bytes(payload, static_cast<std::uint8_t>(fill));
      const Section section = one_block(prediction, block, bytes, static_cast<std::size_t>(components));
      return is_refused(state_after(t, 5, components), put_together(section), {});
    };
    EXPECT_FALSE(refused({{0, 0, 0}, {5, 1, 1}}, 0));
    EXPECT_TRUE(refused({{0, 0, 0}, {9, 1, 1}}, 0));
    EXPECT_TRUE(refused({{0, 0, 0}, {1, 5, 1}}, 0));
    EXPECT_TRUE(refused({{0, 0, 0}, {5, 5, 1}}, 0));
    EXPECT_TRUE(refused({{0, 0, 0}, {5, 1, 5}}, 0));
    EXPECT_TRUE(refused({{0, 0, 0}, {6, 1, 1}}, 0));  // narrower than its head
    // Has the right length, and is valid if the first head announces no triples.
    for (const std::uint64_t first : {1u, 5u}) {
      EXPECT_EQ(refused({{0, 1, 0}, {first, 1, 1}}, 128), first == 5);
      EXPECT_EQ(refused({{0, 0, 1}, {first, 1, 1}}, 128), first == 5);
      EXPECT_EQ(refused({{0, 2, 0}, {first, 2, 1}}, 256), first == 5);
      EXPECT_EQ(refused({{0, 0, 3}, {first, 1, 3}}, 384), first == 5);
      EXPECT_EQ(refused({{0, 0, 0}, {first, 0, 1}, 32}, 128, 255), first == 5);
      EXPECT_EQ(refused({{0, 0, 0}, {first, 1, 0}, 32}, 128, 255), first == 5);
      EXPECT_EQ(refused({{0, 0}, {first, 1}}, 0, 0, 2), first == 5);
      EXPECT_EQ(refused({{0}, {first}}, 0, 0, 1), first == 5);
      EXPECT_EQ(refused({{3, 0}, {first + 2, 1}}, 384, 0, 2), first == 5);
    }
  }
}

TEST(DifferenceTriples, RanksThatAreTooLargeAreRefused) {
  const Trajectory t = trembling(1024, 5, 4);
  const DifferenceState state = state_after(t, 5);
  for (const auto &prediction : predictions) {
    // The first value stands in the first bits.
    for (const std::uint64_t head : {5u, 6u, 7u})
      for (const std::uint64_t rank : {0u, 511u, 512u, 767u}) {
        std::vector<std::uint8_t> payload(128 * 10);
        payload[0] = static_cast<std::uint8_t>(rank);
        payload[1] = static_cast<std::uint8_t>(rank >> 8);
        const auto bytes = put_together(one_block(prediction, {{10, 0, 0}, {head, 1, 1}}, payload));
        EXPECT_EQ(is_refused(state, bytes, {}), rank >= 512) << head << " " << rank;
      }
    // One zero and 1,024 ones: the first value is 2^width.
    for (const std::uint64_t width : {8u, 9u}) {
      std::vector<std::uint8_t> payload(128 * width);
      payload.push_back(0xFE);
      payload.resize(payload.size() + 127, 0xFF);
      payload.insert(payload.end(), {1, 0, 0, 0});
      const auto bytes = put_together(one_block(prediction, {{width, 0, 0}, {4, 1, 1}, 33}, payload));
      EXPECT_EQ(is_refused(state, bytes, {}), width == 9);
    }
  }
}

TEST(DifferenceTriples, DamageIsAnErrorOrOtherValues) {
  Random random(7);
  for (const bool neighbours : {false, true}) {
    Trajectory t = crystal(1100, 4, 0.4, {700, 900, 5000});
    if (neighbours) t = molecules(1100, 4, 6, 0.5, 0.2);
    t.frames.back()[1][50] += 3000;
    const DifferenceState state = state_after(t, 3);
    const auto bytes = put_together(last_section(t, neighbours));
    EXPECT_FALSE(is_refused(state, bytes, t.box));
    for (int round = 0; round < 3000; ++round) {
      auto damaged = bytes;
      const std::size_t range = round % 2 == 0 ? 112 : bytes.size();
      for (std::uint64_t k = 0; k < 1 + random.below(4); ++k)
        damaged[random.below(range)] ^= static_cast<std::uint8_t>(1u << random.below(8));
      is_refused(state, damaged, t.box);
    }
  }
}

}  // namespace
}  // namespace gpz::codec::difference_triples_test
