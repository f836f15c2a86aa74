// SPDX-License-Identifier: BSD-3-Clause
// The memory of a reader: columns reuse that of earlier ones, and a loop asks the system for no more.
#include "gpz/format/budget.hpp"
#include "largest_request.hpp"
#include "trajectory_support.hpp"

namespace gpz::test::reader_memory_test {
namespace {

using format::Budget;
using format::Column;

constexpr std::size_t kept = std::size_t{64} << 10;  // bytes: smaller blocks are left to the allocator

Limits limit_of(std::uint64_t bytes) {
  Limits limits;
  limits.memory = bytes;
  return limits;
}

TEST(ReaderMemory, OfAColumnServesTheNextOne) {
  Budget budget(limit_of(100 * kept));
  const Budget::Scope scope(budget);
  const std::uint8_t *first = nullptr;
  {
    const Column<std::uint8_t> column(4 * kept);
    first = column.data();
  }
  EXPECT_EQ(budget.used(), 0u);
  {
    const Column<std::uint8_t> much_smaller(kept);
    EXPECT_NE(much_smaller.data(), first);
    const Column<std::uint8_t> larger(5 * kept);
    EXPECT_NE(larger.data(), first);
    const Column<std::uint8_t> smaller(3 * kept);
    EXPECT_EQ(smaller.data(), first);
    EXPECT_EQ(smaller[3 * kept - 1], 0);
    const Column<std::uint8_t> another(3 * kept);
    EXPECT_NE(another.data(), first);
    EXPECT_EQ(budget.used(), 12 * kept);
  }
  const Column<std::uint64_t> other_type(kept / 2 + 8);  // bytes: as many as the first one, and 64
  EXPECT_EQ(budget.used(), 4 * kept + 64);
}

TEST(ReaderMemory, ThatIsKeptDoesNotCountAgainstTheLimit) {
  Budget budget(limit_of(10 * kept));
  const Budget::Scope scope(budget);
  for (std::size_t size = 1; size <= 9; ++size) {
    const Column<std::uint8_t> column(size * kept);
    EXPECT_EQ(column.size(), size * kept);
  }
  const Column<std::uint8_t> nearly_all(9 * kept);
  EXPECT_EQ(status_of([&] { const Column<std::uint8_t> more(2 * kept); }), Status::limit_exceeded);
  EXPECT_EQ(budget.used(), 9 * kept);
}

TEST(ReaderMemory, IsTheSameInEveryKeyInterval) {
  constexpr std::size_t particles = 30'000;
  for (const Effort effort : {Effort::fast, Effort::standard}) {
    Bytes bytes;
    Writer writer(bytes, small_metadata());
    writer.set_key_interval(3);
    writer.set_effort(effort);
    write_all(writer, trajectory(particles, 12));
    writer.close();
    const Reader reader = reader_of(bytes);
    std::vector<float> x(3 * particles);
    const auto read = [&](std::size_t i) {
      std::vector<ColumnOutput> columns;
      for (std::size_t d = 0; d < 3; ++d)
        columns.push_back({std::string(1, "xyz"[d]), {x.data() + d, 12, ConstArray::Type::float32}});
      reader.read_columns(i, columns, particles, {1, true});
    };
    // Decoders keep the orders of particles of two intervals.
    for (std::size_t i = 0; i < 9; ++i) read(i);
    for (std::size_t i = 9; i < 12; ++i) {
      largest_request = 0;
      read(i);
      EXPECT_LT(largest_request, kept) << "frame " << i << ", effort " << static_cast<int>(effort);
    }
  }
}

}  // namespace
}  // namespace gpz::test::reader_memory_test
