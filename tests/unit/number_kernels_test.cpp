// SPDX-License-Identifier: BSD-3-Clause
// Numbers that kernels read from several streams at once are those of NumberDecoder, also behind the end of a stream;
// lanes without a number stay where they are; nothing beyond the bytes is read. What kernels write is what they read.
#include "gpz/kernels/number_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>

#include "all_kernels.hpp"
#include "gpz/codec/number_coder.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/kernels/way_kernels.hpp"

namespace gpz::codec::number_kernels_test {
namespace {

constexpr unsigned contexts = 3;
constexpr std::size_t longest = 500;

unsigned context_of(std::size_t i) { return static_cast<unsigned>(i * 7 % 5 % contexts); }

// A segment for each lane, of different lengths: the first one is empty.
std::vector<std::uint8_t> encoded() {
  std::mt19937 random(1);
  NumberEncoder encoder(contexts);
  for (std::size_t s = 0; s < most_lanes; ++s) {
    for (std::size_t i = 0; i < s * longest / (most_lanes - 1); ++i) {
      const unsigned c = context_of(i);
      const auto bits = static_cast<std::uint32_t>(random()) % (c == 0 ? 4 : c == 1 ? 14 : 33);
      encoder.put(c, bits == 0 ? 0 : static_cast<std::uint32_t>(random()) >> (32 - bits));
    }
    encoder.end_segment();
  }
  std::vector<std::uint8_t> bytes;
  encoder.finish_segments(bytes);
  return bytes;
}

TEST(NumberKernels, StreamsSideBySide) {
  const std::vector<std::uint8_t> bytes = encoded();
  // Memory of just this size, so that a sanitizer sees what is read beyond it.
  const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), exact.get());
  for (const Kernels *const set : all_kernels()) {
    SCOPED_TRACE(set->name);
    const std::size_t used = set->ways.lanes;
    // Both the shortest and the longest segments.
    for (const std::size_t first : {std::size_t{0}, most_lanes - used}) {
      std::vector<NumberDecoder> streams = open_segments(exact.get(), bytes.size(), contexts, most_lanes);
      NumberLanes lanes;
      for (std::size_t l = 0; l < most_lanes; ++l) streams[first + l % used].put(lanes, l);
      std::mt19937 random(2);
      std::vector<std::size_t> read(used);
      for (std::size_t i = 0; i < 2 * longest; ++i) {
        const auto coded = static_cast<unsigned>(random()) & ((1u << used) - 1);
        const unsigned context = context_of(i);
        Lanes<std::int64_t> numbers;
        std::uint32_t bits = 0;
        const std::uint32_t found = set->numbers.get(lanes, context, coded, numbers);
        for (std::size_t l = 0; l < used; ++l) {
          const std::uint32_t expected = (coded >> l & 1) != 0 ? streams[first + l].get(context) : 0;
          bits |= expected;
          ASSERT_EQ(numbers[l], expected) << "number " << i << " of lane " << l;
        }
        ASSERT_EQ(found, bits);
      }
    }
  }
}

// In their contexts, streams end where the lanes do.
TEST(NumberKernels, Ends) {
  const std::vector<std::uint8_t> bytes = encoded();
  for (const Kernels *const set : all_kernels()) {
    SCOPED_TRACE(set->name);
    std::vector<NumberDecoder> streams = open_segments(bytes.data(), bytes.size(), contexts, most_lanes);
    for (NumberDecoder &stream : streams) {
      const std::size_t numbers = static_cast<std::size_t>(&stream - streams.data()) * longest / (most_lanes - 1);
      NumberLanes lanes;
      for (std::size_t l = 0; l < most_lanes; ++l) stream.put(lanes, l);
      Lanes<std::int64_t> number;
      for (std::size_t i = 0; i < numbers; ++i) set->numbers.get(lanes, context_of(i), 1, number);
      stream.take_position(lanes, 0);
      EXPECT_NO_THROW(stream.end());
    }
  }
}

// Lanes at random points of a walk.
WayBatch random_batch(std::mt19937 &random) {
  WayBatch b{};
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (std::size_t l = 0; l < most_lanes; ++l) {
    std::array<int, 3> axes{0, 1, 2};
    std::shuffle(axes.begin(), axes.end(), random);
    for (std::size_t d = 0; d < 3; ++d) {
      b.axis[d][l] = axes[d];
      b.way[d][l] = below(4001) - 2000;
    }
    b.number[l] = below(64 * 4001) - 64 * 2000;
    b.level[l] = below(ExpectedNumber::levels);
    b.part[l] = below(ExpectedNumber::parts);
    b.is_wide[l] = below(2);
    b.framed[l] = below(2);
    b.has_side[l] = below(2);
    b.side_level[l] = below(way_side_levels);
    b.near[l] = below(2);
    b.side[l] = below(2) == 0 ? -1 : 1;
    for (std::size_t k = 0; k < 2; ++k) {
      b.y[k][l] = below(4001) - 2000;
      b.z[k][l] = below(4001) - 2000.5;
    }
  }
  return b;
}

std::int64_t component_of(const WayBatch &b, std::size_t step, std::size_t lane) {
  return b.way[static_cast<std::size_t>(b.axis[step][lane])][lane];
}

// What an encoder writes is what read() makes the component of.
TEST(NumberKernels, WrittenComponents) {
  for (const Kernels *const set : all_kernels()) {
    SCOPED_TRACE(set->name);
    std::mt19937 random(3);
    NumberItems items{};
    items.least_level.of.fill(ExpectedNumber::levels);
    Lanes<std::int64_t> least = items.least_level;
    Lanes<std::int64_t> most{};
    for (unsigned round = 0; round < 300; ++round) {
      const WayBatch b = random_batch(random);
      ComponentCoding coding;
      coding.step = round % 3;
      coding.coded = static_cast<unsigned>(random()) & 255;
      Lanes<std::int32_t> value;
      set->numbers.write(coding, b, items, value);
      for (std::size_t l = 0; l < set->ways.lanes; ++l) {
        const std::int64_t actual = component_of(b, coding.step, l);
        EXPECT_EQ(value[l], actual);
        const auto part = static_cast<std::int32_t>(b.number[l] & 63);
        const auto number = static_cast<std::uint32_t>(items.item[l]);
        EXPECT_EQ(core::numbered_residual(number, part) + (b.number[l] >> 6), actual);
        const bool is_wide = b.is_wide[l] != 0 && (coding.step == 0 || b.framed[l] == 0);
        const unsigned group = coding.step == 2 ? 1 : is_wide ? 2 : 0;
        EXPECT_EQ(items.item[l] >> item_place_shift,
                  group * places_of_group + b.level[l] * ExpectedNumber::parts + b.part[l]);
        if ((coding.coded >> l & 1) == 0) continue;
        least[l] = std::min(least[l], b.level[l]);
        most[l] = std::max(most[l], b.level[l]);
      }
    }
    for (std::size_t l = 0; l < set->ways.lanes; ++l) {
      EXPECT_EQ(items.least_level[l], least[l]);
      EXPECT_EQ(items.most_level[l], most[l]);
    }
  }
}

TEST(NumberKernels, WrittenSides) {
  for (const Kernels *const set : all_kernels()) {
    SCOPED_TRACE(set->name);
    std::mt19937 random(4);
    unsigned others = 0;
    for (unsigned round = 0; round < 300; ++round) {
      const WayBatch before = random_batch(random);
      WayBatch b = before;
      ComponentCoding coding;
      coding.step = round % 2;
      coding.coded = static_cast<unsigned>(random()) & 255;
      NumberItems items{};
      const unsigned found = set->numbers.write_sides(coding, b, items);
      for (std::size_t l = 0; l < set->ways.lanes; ++l) {
        const bool is_coded = before.has_side[l] != 0 && (coding.coded >> l & 1) != 0;
        ASSERT_EQ(found >> l & 1, is_coded ? 1u : 0u);
        // The circle's point that is farther away, or the other side of the plane (docs/format.md, section 9c).
        const auto y = static_cast<double>(component_of(b, 1, l));
        const auto z = static_cast<double>(component_of(b, 2, l));
        const auto off = [&](std::size_t k) { return std::abs(b.y[k][l] - y) + std::abs(b.z[k][l] - z); };
        const std::size_t near = before.near[l] == 0 ? 0 : 1;
        const bool is_other = before.framed[l] == 0 ? z * before.side[l] < 0 : off(1 - near) < off(near);
        const bool changes = is_coded && is_other;
        EXPECT_EQ(b.near[l], changes && coding.step == 0 ? 1 - before.near[l] : before.near[l]);
        EXPECT_EQ(b.side[l], changes && coding.step == 1 ? -before.side[l] : before.side[l]);
        if (!is_coded) continue;
        EXPECT_EQ(items.item[l] & UINT32_MAX, is_other ? 1 : 0);
        EXPECT_EQ(items.item[l] >> item_place_shift, place_of_sides + before.side_level[l]);
        others += is_other ? 1 : 0;
      }
    }
    EXPECT_GT(others, 50u);
  }
}

// The table of contexts of an encoder's items.
TEST(NumberKernels, SegmentsOfItems) {
  const std::vector<std::uint8_t> table{2, 0, 1};
  std::mt19937 random(5);
  std::vector<std::vector<std::uint64_t>> segments(40);
  NumberEncoder one_by_one(contexts);
  for (auto &segment : segments) {
    for (auto left = random() % 2000; left > 0; --left) {
      const auto place = static_cast<std::size_t>(random() % 3);
      const auto number = static_cast<std::uint32_t>(random() % 1000);
      segment.push_back(static_cast<std::uint64_t>(place) << item_place_shift | number);
      one_by_one.put(table[place], number);
    }
    one_by_one.end_segment();
  }
  std::vector<std::uint8_t> expected;
  one_by_one.finish_segments(expected);
  for (const int threads : {1, 3}) {
    std::vector<std::vector<std::uint64_t>> items = segments;  // they are changed
    std::vector<NumberSegment> numbers;
    numbers.reserve(items.size());
    for (auto &segment : items) numbers.push_back({segment.data(), segment.size()});
    std::vector<std::uint8_t> bytes;
    append_segments(numbers, contexts, table.data(), threads, bytes);
    EXPECT_EQ(bytes, expected);
  }
}

}  // namespace
}  // namespace gpz::codec::number_kernels_test
