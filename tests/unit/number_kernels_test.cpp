// SPDX-License-Identifier: BSD-3-Clause
// Numbers that kernels read from several streams at once are those of NumberDecoder, also behind the end of a stream;
// lanes without a number stay where they are; nothing beyond the bytes is read.
#include "gpz/kernels/number_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "all_kernels.hpp"
#include "gpz/codec/number_coder.hpp"
#include "gpz/kernels/way_kernels.hpp"

namespace gpz::codec {
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

}  // namespace
}  // namespace gpz::codec
