// SPDX-License-Identifier: BSD-3-Clause
// The head of a difference chunk: what is written is read, and nothing else is.
#include <gtest/gtest.h>

#include <set>

#include "codec_support.hpp"
#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/leaving_slots.hpp"
#include "gpz/format/opened_chunk.hpp"

namespace gpz::format::difference_chunk_test {
namespace {

using Slots = std::vector<std::uint32_t>;
using Bytes = std::vector<std::uint8_t>;
using test::Random;

// A chunk with sections of these lengths, and arrivals of 16 bytes if there are any.
Bytes chunk_of(std::uint64_t reference, const Slots &leaving, std::uint64_t arriving,
               const std::vector<std::uint64_t> &lengths) {
  Bytes bytes;
  append_difference_head(reference, leaving, arriving, lengths.size(), bytes);
  for (std::size_t f = 0; f < lengths.size(); ++f) {
    set_section_length(bytes, ChunkKind::difference, f, lengths[f]);
    bytes.resize(bytes.size() + lengths[f], static_cast<std::uint8_t>(f + 1));
  }
  if (arriving != 0) {
    set_arrivals_length(bytes, 16);
    bytes.resize(bytes.size() + 16, 99);
  }
  return bytes;
}

OpenedChunk open(const Bytes &bytes, std::size_t fields) { return open_chunk(bytes.data(), bytes.size(), fields); }

Slots leaving_of(const Bytes &bytes, std::uint64_t reference, std::uint64_t particles, std::size_t fields) {
  const OpenedChunk chunk = open(bytes, fields);
  const Column<std::uint32_t> slots =
      read_leaving_slots(chunk, reference, particles, bytes.data() + chunk.slots.offset);
  return {slots.begin(), slots.end()};
}

void expect_corrupt(const Bytes &bytes, std::uint64_t reference, std::uint64_t particles, std::size_t fields) {
  try {
    leaving_of(bytes, reference, particles, fields);
    ADD_FAILURE() << "read";
  } catch (const Error &error) {
    EXPECT_TRUE(error.status() == Status::corrupt || error.status() == Status::truncated) << error.what();
  }
}

Slots random_slots(std::uint64_t reference, std::size_t count, Random &random) {
  std::set<std::uint32_t> slots;
  while (slots.size() < count) slots.insert(static_cast<std::uint32_t>(random.below(reference)));
  return {slots.begin(), slots.end()};
}

TEST(LeavingSlots, OfAnyNumberComeBack) {
  Random random(3);
  for (const std::uint64_t reference : {1u, 2u, 3u, 31u, 32u, 33u, 64u, 1000u, 4096u}) {
    for (const std::size_t count :
         {std::uint64_t{0}, std::uint64_t{1}, reference / 3, reference / 2, reference - 1, reference}) {
      const Slots leaving = random_slots(reference, count, random);
      const Bytes bytes = chunk_of(reference, leaving, 5, {});
      const OpenedChunk chunk = open(bytes, 0);
      EXPECT_EQ(chunk.leaving, leaving.size());
      EXPECT_EQ(leaving_of(bytes, reference, reference - count + 5, 0), leaving);
      EXPECT_EQ(chunk.arriving, 5u);
      EXPECT_EQ(chunk.arrivals.offset, bytes.size() - 16);
      EXPECT_EQ(chunk.arrivals.size, 16u);
      EXPECT_EQ(bytes.size() % 8, 0u);
    }
  }
}

TEST(LeavingSlots, OfManyParticles) {
  const std::uint64_t most = UINT32_MAX;
  for (const Slots &leaving : {Slots{0}, Slots{UINT32_MAX - 1}, Slots{0, UINT32_MAX - 1}, Slots{5, 6, 7, 1u << 31}}) {
    const Bytes bytes = chunk_of(most, leaving, 0, {});
    EXPECT_EQ(leaving_of(bytes, most, most - leaving.size(), 0), leaving);
  }
  Random random(4);
  const Slots some = random_slots(most, 3000, random);
  const Bytes bytes = chunk_of(most, some, 0, {});
  EXPECT_EQ(leaving_of(bytes, most, most - some.size(), 0), some);
  EXPECT_LT(bytes.size(), 40 + 3000 * 24 / 8);  // 21 low bits and less than 3 above
}

TEST(DifferenceHead, TellsWhereEverythingIs) {
  const Bytes bytes = chunk_of(100, {3, 50, 99}, 7, {8, 0, 40});
  const OpenedChunk chunk = open(bytes, 3);
  ASSERT_EQ(chunk.sections.size(), 3u);
  EXPECT_EQ(chunk.sections[0].size, 8u);
  EXPECT_EQ(chunk.sections[1].size, 0u);
  EXPECT_EQ(chunk.sections[2].size, 40u);
  EXPECT_EQ(bytes[chunk.sections[0].offset], 1);
  EXPECT_EQ(bytes[chunk.sections[2].offset], 3);
  EXPECT_EQ(bytes[chunk.arrivals.offset], 99);
  EXPECT_EQ(chunk_kind(bytes.data(), bytes.size()), ChunkKind::difference);
}

TEST(DifferenceHead, HasToAgreeWithWhatIsKnown) {
  const Bytes bytes = chunk_of(100, {3, 50, 99}, 7, {8, 0, 40});
  for (const std::uint64_t reference : {0u, 99u, 101u}) expect_corrupt(bytes, reference, 104, 3);
  for (const std::uint64_t particles : {0u, 6u, 103u, 105u}) expect_corrupt(bytes, 100, particles, 3);
  for (const std::size_t fields : {0u, 2u, 4u, 1000u}) expect_corrupt(bytes, 100, 104, fields);
  expect_corrupt(chunk_of(100, Slots(), 0, {}), 100, 99, 0);
  expect_corrupt(chunk_of(std::uint64_t{1} << 32, {}, 0, {}), std::uint64_t{1} << 32, std::uint64_t{1} << 32, 0);
  expect_corrupt(chunk_of(2, {0, 1}, 3, {8}), 2, 3, 1);  // a section of no particles
  Bytes kind = bytes;
  kind[4] = 200;
  EXPECT_THROW(chunk_kind(kind.data(), kind.size()), Error);
  EXPECT_THROW(chunk_kind(kind.data(), 7), Error);
}

TEST(DifferenceHead, HasNoBitThatMeansNothing) {
  const Bytes bytes = chunk_of(100, {3, 50, 99}, 7, {8, 0, 40});
  const std::size_t end = open(bytes, 3).sections[0].offset;
  for (std::size_t at = 0; at < end; ++at) {
    if (at >= 4 && at < 8) continue;  // the kind
    for (unsigned bit = 0; bit < 8; ++bit) {
      Bytes other = bytes;
      other[at] = static_cast<std::uint8_t>(other[at] ^ (1u << bit));
      try {
        const Slots leaving = leaving_of(other, 100, 104, 3);
        EXPECT_NE(leaving, (Slots{3, 50, 99})) << "byte " << at << " bit " << bit;
        ASSERT_EQ(leaving.size(), 3u);
        EXPECT_LT(leaving.back(), 100u);
      } catch (const Error &error) {
        EXPECT_EQ(error.status(), Status::corrupt);
      }
    }
  }
  for (std::size_t size = 0; size < bytes.size(); ++size)
    expect_corrupt(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)), 100, 104, 3);
}

TEST(DifferenceHead, PromisesAreNotBelieved) {
  Random random(9);
  for (int round = 0; round < 20000; ++round) {
    Bytes bytes = chunk_of(100, {3, 50, 99}, 7, {8, 0, 40});
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t field = 8 + 8 * random.below(7);
      const std::uint64_t values[] = {0,
                                      1,
                                      8,
                                      100,
                                      UINT32_MAX,
                                      std::uint64_t{1} << 32,
                                      UINT64_MAX,
                                      UINT64_MAX - 7,
                                      std::uint64_t{1} << 63,
                                      random.bits()};
      const std::uint64_t value = values[random.below(std::size(values))];
      for (std::size_t i = 0; i < 8; ++i) bytes[field + i] = static_cast<std::uint8_t>(value >> (8 * i));
    }
    const auto reference = load_little<std::uint64_t>(bytes.data() + 8);
    const std::uint64_t particles =
        reference - load_little<std::uint64_t>(bytes.data() + 16) + load_little<std::uint64_t>(bytes.data() + 24);
    try {
      const OpenedChunk chunk = open(bytes, 3);
      for (const Span &section : chunk.sections) EXPECT_LE(section.offset + section.size, bytes.size());
      EXPECT_EQ(chunk.arrivals.offset + chunk.arrivals.size, bytes.size());
      leaving_of(bytes, reference, particles, 3);
    } catch (const Error &) {  // as it should be
    }
  }
}

}  // namespace
}  // namespace gpz::format::difference_chunk_test
