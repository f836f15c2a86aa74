// SPDX-License-Identifier: BSD-3-Clause
// Sections whose residuals are predicted by their neighbours: any coefficients bring every index back, and the decoder
// of difference_decoder.hpp agrees; the encoder finds coefficients where there are any to find.
#include <gtest/gtest.h>

#include <memory>

#include "difference_decoder.hpp"

namespace gpz::codec::difference_neighbour_test {
namespace {

constexpr std::size_t block_size = DifferenceScratch::block_size;

// A section with coefficients that the encoder would not choose.
std::vector<std::uint8_t> section_with(const DifferenceState &state, const Frame &q, const GridBox &box,
                                       const core::Predictor &predictor, const Neighbours &neighbours,
                                       const Kernels &kernels) {
  Section section;
  section.components = static_cast<std::size_t>(state.components);
  section.prediction.resize(4 + header_size(neighbours));
  section.prediction[0] = 2;
  section.prediction[1] = static_cast<std::uint8_t>(predictor.velocity);
  section.prediction[2] = static_cast<std::uint8_t>(predictor.previous);
  section.prediction[3] = static_cast<std::uint8_t>(predictor.mean);
  write_header(neighbours, &section.prediction[4]);
  NeighbourTable table;
  fill_table(neighbours, table);
  const auto scratch = std::make_unique<DifferenceScratch>();
  for (std::size_t first = 0; first < state.particles; first += block_size) {
    DifferenceBlock block{};
    block.n = static_cast<std::uint32_t>(std::min(block_size, state.particles - first));
    block.components = state.components;
    block.reciprocal = core::reciprocal_of(state.frames);
    block.predictor = predictor;
    for (std::size_t j = 0; j < max_neighbour_lags; ++j) block.weight[j] = table.weight[j] + first % neighbours.levels;
    for (std::size_t d = 0; d < section.components; ++d) {
      const auto &axis = state.axes[d];
      block.axes[d] = {axis.last.data() + first,     axis.deviation.data() + first, axis.velocity.data() + first,
                       axis.previous.data() + first, q[d].data() + first,           nullptr,
                       core::checked_axis(box[d])};
    }
    ResidualRecord record;
    const std::uint32_t words = kernels.difference.encode(block, *scratch, record);
    const auto *raw = reinterpret_cast<const std::uint8_t *>(scratch->words);
    section.payload.insert(section.payload.end(), raw, raw + words * std::size_t{4});
    Section::Block stored{{}, {}, record.bitmap, record.margin, record.flags, record.exceptions};
    for (std::size_t d = 0; d < section.components; ++d) {
      stored.width[d] = record.code[d].width;
      stored.head[d] = record.code[d].head + (record.triples && d == 0 ? 4u : 0u);
    }
    section.blocks.push_back(stored);
  }
  return put_together(section);
}

Neighbours random_neighbours(Random &random, std::uint32_t levels, std::uint32_t lags) {
  Neighbours out;
  out.levels = levels;
  out.lags = lags;
  const std::int8_t extremes[] = {-128, 127, 0, 64, -1};
  for (std::uint32_t level = 0; level < levels; ++level)
    for (std::uint32_t j = 0; j < lags; ++j)
      out.weight[level][j] =
          random.below(4) == 0 ? extremes[random.below(5)] : static_cast<std::int8_t>(random.below(100)) - 50;
  return out;
}

// Frame `s` with these coefficients, with all kernels. The number of blocks with triples.
std::size_t check(const Trajectory &t, std::size_t s, const Neighbours &neighbours, bool slowly) {
  const DifferenceState state = state_after(t, s);
  const core::Predictor predictor{30, -20, 50};
  std::vector<std::uint8_t> bytes;
  for (const auto *kernels : all_kernels()) {
    const auto section = section_with(state, t.frames[s], t.box, predictor, neighbours, *kernels);
    if (bytes.empty()) bytes = section;
    EXPECT_EQ(section, bytes) << kernels->name;
    Frame decoded = empty_frame(state.particles);
    decode_difference(state, bytes.data(), bytes.size(), t.box, output(decoded), *kernels);
    EXPECT_EQ(decoded, t.frames[s]) << kernels->name;
  }
  if (slowly) {
    EXPECT_EQ(decode_slowly(t, s, bytes), t.frames[s]);
  }
  return in_parts(bytes, state.particles).triples();
}

TEST(DifferenceNeighbour, AnyCoefficientsRoundTrip) {
  Random random(1);
  Trajectory quiet = crystal(1100, 6, 0.25, {700, 900, 5000});
  for (std::size_t i = 0; i < 1100; i += 190) quiet.frames[4][i % 3][i] += 2000;
  const Trajectory cases[] = {random_walk(1100, 5, 60, 2), crystal(1100, 6, 20, {700, 900, 5000}),
                              jumping(ballistic(1100, 5, 20000)), jumping(crystal(1100, 6, 20, {700, 900, 5000})),
                              quiet};
  std::size_t triples = 0;
  for (std::uint32_t levels = 1; levels <= max_neighbour_levels; ++levels)
    for (std::uint32_t lags = 1; lags <= max_neighbour_lags; ++lags) {
      SCOPED_TRACE(std::to_string(levels) + " levels, " + std::to_string(lags) + " lags");
      for (const Trajectory &t : cases)
        triples += check(t, 4, random_neighbours(random, levels, lags), (levels + lags) % 4 == 0);
    }
  EXPECT_GT(triples, 30u);
}

TEST(DifferenceNeighbour, AnyValuesRoundTrip) {
  Random random(2);
  for (const std::size_t n : {1u, 2u, 4u, 5u, 1023u, 1024u, 1025u, 3000u}) {
    SCOPED_TRACE(n);
    for (const double sigma : {0.0, 1e3, 1e6, 1e9, 1e15})
      check(random_walk(n, 4, sigma, n), 3, random_neighbours(random, 5, 4), false);
    check(noise(n, 4), 3, random_neighbours(random, 16, 4), false);
  }
  for (const int weight : {-128, 127}) {
    Neighbours extreme;
    extreme.levels = 3;
    extreme.lags = 4;
    for (auto &level : extreme.weight)
      for (auto &w : level) w = static_cast<std::int8_t>(weight);
    Trajectory t = noise(2100, 5);
    check(t, 4, extreme, false);
    // As far as history is remembered, and all in the same direction.
    for (const std::int64_t moved : {std::int64_t{core::history_limit}, -std::int64_t{core::history_limit} - 5}) {
      t = random_walk(2100, 2, 0, 1);
      for (auto &axis : t.frames[1])
        for (auto &x : axis) x += moved;
      check(t, 1, extreme, true);
    }
  }
}

TEST(DifferenceNeighbour, FewerAxes) {
  const Trajectory t = molecules(2000, 4, 3, 300, 10);
  for (int components = 1; components <= 2; ++components) {
    const DifferenceState state = state_after(t, 3, components);
    EXPECT_EQ(encoded(state, t.frames[3], {}, true)[0], 2);
  }
}

TEST(DifferenceNeighbour, MoleculesAreSmaller) {
  for (const std::size_t group : {2u, 3u, 4u, 6u, 12u}) {
    SCOPED_TRACE(group);
    const Trajectory t = molecules(6000, 4, group, 400, 10);
    const DifferenceState state = state_after(t, 3);
    const auto with = encoded(state, t.frames[3], {}, true);
    const auto without = encoded(state, t.frames[3], {}, false);
    ASSERT_EQ(with[0], 2);
    EXPECT_EQ(with[4] % group, 0u);
    EXPECT_EQ(without[0], 1);
    // Particles of very different residuals share a code, which takes much of what a ratio of 40 could bring.
    EXPECT_LT(static_cast<double>(with.size()), 0.95 * static_cast<double>(without.size()));
  }
}

TEST(DifferenceNeighbour, FitFindsTheCoefficients) {
  Random random(5);
  const std::size_t n = 16 * block_size;
  const double truth[3][2] = {{0.8, -0.3}, {-0.5, 0.25}, {0.1, 0.6}};
  Trajectory t = random_walk(n, 1, 0, 1);
  t.frames.push_back(t.frames[0]);
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<double> left(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (i % block_size >= 2) left[i] = truth[i % 3][0] * left[i - 1] + truth[i % 3][1] * left[i - 2];
      left[i] += static_cast<double>(gaussian(random, 500));
      t.frames[1][d][i] += rounded(left[i]);
    }
    // Jumps do not count.
    for (std::size_t i = 0; i < n; i += 4096) t.frames[1][d][i] += gaussian(random, 1e6);
  }
  const auto bytes = encoded(state_after(t, 1), t.frames[1], {}, true);
  Neighbours found;
  ASSERT_EQ(bytes[0], 2);
  ASSERT_TRUE(read_header(&bytes[4], bytes.size() - 4, found));
  ASSERT_EQ(found.levels % 3, 0u);
  for (std::size_t level = 0; level < found.levels; ++level)
    for (std::size_t j = 0; j < 4; ++j)
      EXPECT_NEAR(found.weight[level][j] / 64.0, j < 2 ? truth[level % 3][j] : 0, 0.07) << level << " " << j;
}

TEST(DifferenceNeighbour, NothingIsLostWhereNeighboursSayNothing) {
  const std::size_t largest_header = 8 + 2 + 12 * 4;
  for (const std::size_t n : {1u, 5u, 40u, 300u, 1024u, 20000u})
    for (const Trajectory &t : {random_walk(n, 4, 30, n), crystal(n, 4, 12, {900, 9000, 70000}), noise(n, 4)}) {
      const DifferenceState state = state_after(t, 3);
      const auto with = encoded(state, t.frames[3], t.box, true);
      const auto without = encoded(state, t.frames[3], t.box, false);
      EXPECT_LE(with.size(), without.size() + largest_header) << n;
    }
  const Trajectory t = random_walk(20000, 4, 30, 1);
  const DifferenceState state = state_after(t, 3);
  EXPECT_EQ(encoded(state, t.frames[3], {}, true), encoded(state, t.frames[3], {}, false));
}

TEST(DifferenceNeighbour, PlainStatesHaveNone) {
  const Trajectory t = molecules(3000, 2, 3, 300, 5);
  DifferenceState plain;
  plain.start(columns(t.frames[0]), 3000, 3, true);
  EXPECT_EQ(encoded(plain, t.frames[1], {}, true), encoded(plain, t.frames[1], {}, false));
  const auto bytes = encoded(state_after(t, 1), t.frames[1], {}, true);
  ASSERT_EQ(bytes[0], 2);
  Frame decoded = empty_frame(3000);
  EXPECT_THROW(decode_difference(plain, bytes.data(), bytes.size(), {}, output(decoded)), Error);
}

TEST(DifferenceNeighbour, DamageIsAnErrorOrOtherValues) {
  Random random(7);
  for (Trajectory t : {jumping(crystal(1100, 4, 20, {700, 900, 5000})), molecules(2100, 4, 3, 200, 5)}) {
    const DifferenceState state = state_after(t, 3);
    const auto bytes = section_with(state, t.frames[3], t.box, {}, random_neighbours(random, 7, 3), kernels());
    const auto is_refused = [&](const auto &damaged) { return codec::is_refused(state, damaged, t.box); };
    ASSERT_FALSE(is_refused(bytes));
    for (const auto &[at, value] :
         {std::pair<std::size_t, int>{0, 0}, {0, 1}, {0, 3}, {4, 0}, {4, 17}, {5, 0}, {5, 5}, {4, 255}}) {
      auto other = bytes;
      other[at] = static_cast<std::uint8_t>(value);
      EXPECT_TRUE(is_refused(other)) << at << " " << value;
    }
    for (std::size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 37)
      EXPECT_TRUE(is_refused(std::vector(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)))) << size;
    for (int round = 0; round < 2000; ++round) {
      auto damaged = bytes;
      const std::size_t range = round % 2 == 0 ? 200 : bytes.size();
      for (std::uint64_t k = 0; k < 1 + random.below(4); ++k)
        damaged[random.below(range)] ^= static_cast<std::uint8_t>(1u << random.below(8));
      is_refused(damaged);
    }
  }
}

}  // namespace
}  // namespace gpz::codec::difference_neighbour_test
