// SPDX-License-Identifier: BSD-3-Clause
// Uneven blocks, most of whose segments are empty, are coded with runs and take no more than the format's formula says.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "codec_support.hpp"
#include "gpz/kernels/block_kernels.hpp"
#include "gpz/kernels/kernels.hpp"

namespace gpz::test::codec_runs_test {
namespace {

constexpr std::uint32_t particles = 1024;  // a whole block: wide() takes 32 words for each bit of its width

using Position = std::array<std::uint64_t, 3>;

// Grid indices with both corners of a cube of 2^bits among them, so that every extent is 2^bits - 1.
std::vector<Position> with_corners(std::vector<Position> block, int bits) {
  const std::uint64_t last = (std::uint64_t{1} << bits) - 1;
  block.front() = {0, 0, 0};
  block.back() = {last, last, last};
  return block;
}

std::vector<Position> random_cubes(Random &random, const std::vector<Position> &corners, std::uint64_t side) {
  std::vector<Position> block;
  for (std::uint32_t i = 0; i < particles; ++i) {
    Position p = corners[random.below(corners.size())];
    for (auto &x : p) x += random.below(side);
    block.push_back(p);
  }
  return block;
}

std::uint64_t bits_of(std::uint64_t value) {
  std::uint64_t bits = 0;
  for (; value != 0; value >>= 1) ++bits;
  return bits;
}

std::uint64_t words_of(std::uint64_t bits) { return (bits + 31) / 32; }

struct Sizes {
  std::uint64_t runs;    // number of runs
  std::uint64_t coded;   // words of the segment ids as runs
  std::uint64_t bitmap;  // the same as a bitmap
  std::uint64_t offset;  // words of the offsets, which both have
};

// docs/format.md, section 6, for segments of these sizes.
Sizes sizes_by_formula(const std::vector<Position> &block, const std::uint8_t shift[3]) {
  Position extent{};
  for (const Position &p : block)
    for (std::size_t d = 0; d < 3; ++d) extent[d] = std::max(extent[d], p[d]);
  std::map<std::uint64_t, std::uint64_t> count;
  for (const Position &p : block) {
    std::uint64_t id = 0;
    for (std::size_t d = 3; d-- > 0;) id = id * ((extent[d] >> shift[d]) + 1) + (p[d] >> shift[d]);
    ++count[id];
  }
  std::uint64_t largest_gap = 0;
  std::uint64_t largest_count = 0;
  std::uint64_t next = 0;
  for (const auto &[id, members] : count) {
    largest_gap = std::max(largest_gap, id - next);
    largest_count = std::max(largest_count, members - 1);
    next = id + 1;
  }
  std::uint64_t segments = 1;
  std::uint64_t width = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    segments *= (extent[d] >> shift[d]) + 1;
    width += std::min<std::uint64_t>(shift[d], bits_of(extent[d]));
  }
  const std::uint64_t item = bits_of(largest_gap) + bits_of(largest_count);
  return {count.size(), words_of(count.size() * item), words_of(block.size() + segments), particles / 32 * width};
}

// Encodes with a step of 1, so that positions are their own grid indices, and checks that they come back.
codec::BlockResult coded(const codec::Kernels &kernels, const std::vector<Position> &block) {
  std::vector<double> x[3];
  for (std::size_t d = 0; d < 3; ++d)
    for (const Position &p : block) x[d].push_back(static_cast<double>(p[d]));
  codec::Scratch scratch(particles);
  codec::BlockResult result;
  kernels.block.encode({core::Value::float64, 3, {x[0].data(), x[1].data(), x[2].data()}, particles, {1, 1, 0.5}, true},
                       scratch, result);
  EXPECT_TRUE(result.sorted);
  const std::vector<std::uint16_t> order(scratch.order, scratch.order + particles);
  std::vector<double> y[3];
  for (auto &values : y) values.resize(particles);
  const codec::BlockOutput output{
      core::Value::float64, 3, 1, particles, particles, {y[0].data(), y[1].data(), y[2].data()}};
  EXPECT_TRUE(kernels.block.decode(result.record, scratch.words, output, scratch));
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t j = 0; j < particles; ++j) EXPECT_EQ(y[d][j], x[d][order[j]]);
  return result;
}

class Runs : public testing::TestWithParam<const char *> {
 protected:
  void SetUp() override {
    kernels_ = codec::kernels(GetParam());
    if (kernels_ == nullptr) GTEST_SKIP() << "this processor has no " << GetParam();
  }

  // The block's extents are 2^bits - 1. Segments of powers of two split them evenly, so M segments leave
  // w = 3 * bits - log2(M) offset bits to each of n particles, and the costs n + M + n * w of a bitmap are least, and
  // the same, at M = n and M = 2n. A run takes a gap below 2n and a length up to n: 11 + 10 bits.
  void expect_few_runs(const std::vector<Position> &block, int bits, std::uint64_t most_runs) {
    const std::uint64_t offset_bits = static_cast<std::uint64_t>(3 * bits - 10);
    const std::uint64_t limit = words_of(most_runs * (11 + 10)) + particles / 32 * offset_bits;
    const std::uint64_t best_bitmap = words_of(particles + particles) + particles / 32 * offset_bits;
    ASSERT_LT(limit, best_bitmap);
    const codec::BlockResult result = coded(*kernels_, block);
    EXPECT_EQ(result.record.mode, core::Mode::runs);
    EXPECT_LE(result.record.runs, most_runs);
    EXPECT_LE(result.words, limit);
  }

  const codec::Kernels *kernels_ = nullptr;
};

// Offsets of 32 and of 64 bits. No axis gets more than 2^11 segments, so a cube of 2^(bits - 11) that is aligned to its
// size lies in one.
constexpr int cube_bits[] = {13, 14, 17, 20};

TEST_P(Runs, OneOutlierLeavesTwoRuns) {
  Random random(31);
  for (const int bits : cube_bits) {
    SCOPED_TRACE(bits);
    const std::uint64_t side = std::uint64_t{1} << (bits - 11);
    expect_few_runs(with_corners(random_cubes(random, {{0, 0, 0}}, side), bits), bits, 2);
  }
}

TEST_P(Runs, EightClumpsAreEightRunsAtMost) {
  Random random(32);
  for (const int bits : cube_bits) {
    SCOPED_TRACE(bits);
    const std::uint64_t side = std::uint64_t{1} << (bits - 11);
    const std::uint64_t far = (std::uint64_t{1} << bits) - side;
    std::vector<Position> corners;
    for (std::uint64_t k = 0; k < 8; ++k) corners.push_back({(k & 1) * far, (k >> 1 & 1) * far, (k >> 2) * far});
    expect_few_runs(with_corners(random_cubes(random, corners, side), bits), bits, 8);
  }
}

// Clumps of any number and size, so that there are blocks with many and with few particles to a run.
TEST_P(Runs, ClumpsTakeTheSmallerCoding) {
  Random random(33);
  int with_runs = 0;
  int with_bitmap = 0;
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    const int bits = 12 + static_cast<int>(random.below(10));
    const auto side = static_cast<std::uint64_t>(std::pow(2, random.uniform(1, bits - 2)));
    std::vector<Position> corners(1 + random.below(200));
    for (auto &corner : corners)
      for (auto &x : corner) x = random.below((std::uint64_t{1} << bits) - side);
    const std::vector<Position> block = with_corners(random_cubes(random, corners, side), bits);
    const codec::BlockResult result = coded(*kernels_, block);
    const Sizes sizes = sizes_by_formula(block, result.record.shift);
    EXPECT_LE(result.words, sizes.bitmap + sizes.offset);
    if (4 * sizes.runs <= particles) {
      EXPECT_LE(result.words, sizes.coded + sizes.offset);
    }
    with_runs += result.record.mode == core::Mode::runs ? 1 : 0;
    with_bitmap += result.record.mode == core::Mode::elias_fano ? 1 : 0;
  }
  EXPECT_GT(with_runs, 50);
  EXPECT_GT(with_bitmap, 50);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Runs, testing::Values("generic", "avx2", "avx512"));

}  // namespace
}  // namespace gpz::test::codec_runs_test
