// SPDX-License-Identifier: BSD-3-Clause
// The bytes that each field of a frame takes are those that the format page says.
#include <numeric>

#include "trajectory_support.hpp"

namespace gpz::test::field_sizes_test {
namespace {

std::uint64_t word_at(const Bytes &bytes, std::size_t at) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 8; ++i) word |= static_cast<std::uint64_t>(bytes.at(at + i)) << (8 * i);
  return word;
}

TEST(FieldSizes, FillIndependentChunksButForTheHead) {
  const Bytes bytes = small_file(3);
  const Reader reader = reader_of(bytes);
  for (std::size_t f = 0; f < reader.frames(); ++f) {
    const std::vector<std::uint64_t> sizes = reader.field_sizes(f);
    ASSERT_EQ(sizes.size(), reader.info(f).fields.size());
    const Bytes chunk = reader.chunk(f, 0);
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{8 + 8 * sizes.size()}), chunk.size());
  }
}

TEST(FieldSizes, OfDifferencesHaveThoseOfArrivals) {
  const Bytes bytes = chained_file(5, 4);
  const Reader reader = reader_of(bytes);
  bool arrived = false;
  for (std::size_t f = 0; f < reader.frames(); ++f) {
    if (reader.chunk_kind(f, 0) != ChunkKind::difference) continue;
    const Bytes chunk = reader.chunk(f, 0);
    const std::size_t arrivals = chunk.size() - word_at(chunk, 32);
    arrived = arrived || arrivals < chunk.size();
    const std::vector<std::uint64_t> sizes = reader.field_sizes(f);
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const std::uint64_t of_arrivals = arrivals < chunk.size() ? word_at(chunk, arrivals + 8 + 8 * k) : 0;
      EXPECT_EQ(sizes[k], word_at(chunk, 40 + 8 * k) + of_arrivals) << f << ' ' << k;
    }
  }
  EXPECT_TRUE(arrived);
}

TEST(FieldSizes, AreNotTakenFromLyingHeads) {
  const Bytes bytes = small_file(1);
  const Bytes chunk = reader_of(bytes).chunk(0, 0);
  const std::size_t start =
      static_cast<std::size_t>(std::search(bytes.begin(), bytes.end(), chunk.begin(), chunk.end()) - bytes.begin());
  for (const std::size_t top_byte_of : {4, 8, 16}) {  // the kind, the length of field 0, that of field 1
    Bytes damaged = bytes;
    damaged.at(start + top_byte_of + (top_byte_of == 4 ? 0 : 7)) = 0xff;
    const Reader reader = reader_of(damaged);
    EXPECT_EQ(status_of([&] { reader.field_sizes(0); }), Status::corrupt) << top_byte_of;
  }
  EXPECT_EQ(status_of([&] { reader_of(bytes).field_sizes(1); }), Status::not_found);
}

}  // namespace
}  // namespace gpz::test::field_sizes_test
