// SPDX-License-Identifier: BSD-3-Clause
// Columns of decoded frames in the caller's arrays: what a stream gives is what a file gives.
#include <numeric>

#include "trajectory_support.hpp"

namespace gpz::test::copy_columns_test {
namespace {

// x in every second float, id.
struct Table {
  std::vector<float> x;
  std::vector<std::int64_t> id;
  explicit Table(std::size_t particles) : x(2 * particles, -1), id(particles) {}
  std::vector<ColumnOutput> columns() {
    return {{"x", {x.data(), 2 * sizeof(float), ConstArray::Type::float32}},
            {"id", {id.data(), sizeof(std::int64_t), ConstArray::Type::int64}}};
  }
};

TEST(CopyColumns, OfAStreamAreThoseOfTheFile) {
  const Bytes bytes = chained_file(9, 4);
  const Reader reader = reader_of(bytes);
  const std::vector<Frame> frames = stream(bytes).frames;
  ASSERT_EQ(frames.size(), 9u);
  for (std::size_t f = 0; f < frames.size(); ++f) {
    for (const bool sorted : {false, true}) {
      SCOPED_TRACE(f);
      const auto particles = static_cast<std::size_t>(frames[f].info.particles);
      Table copied(particles);
      Table read(particles);
      copy_columns(frames[f], copied.columns(), particles, sorted);
      reader.read_columns(f, read.columns(), particles, {1, sorted});
      EXPECT_EQ(copied.x, read.x);
      EXPECT_EQ(copied.id, read.id);
      // By hand.
      const auto &ids = frames[f].find("id")->integers;
      const auto &xs = frames[f].find("x")->floats;
      std::vector<std::size_t> rows(particles);
      std::iota(rows.begin(), rows.end(), std::size_t{0});
      if (sorted) std::stable_sort(rows.begin(), rows.end(), [&](auto a, auto b) { return ids[a] < ids[b]; });
      for (std::size_t i = 0; i < particles; ++i) {
        ASSERT_EQ(copied.id[i], ids[rows[i]]);
        ASSERT_EQ(copied.x[2 * i], static_cast<float>(xs[rows[i]]));
        ASSERT_EQ(copied.x[2 * i + 1], -1);
      }
    }
  }
}

TEST(CopyColumns, NeedsWhatItCopies) {
  const Bytes bytes = small_file(1);
  const Reader reader = reader_of(bytes);
  const Frame positions = reader.read(0, 1, {true, false, false});
  const auto particles = static_cast<std::size_t>(positions.info.particles);
  Table table(particles);
  std::vector<ColumnOutput> columns = table.columns();
  EXPECT_EQ(status_of([&] { copy_columns(positions, columns, particles); }), Status::invalid_argument);  // id
  columns.pop_back();
  EXPECT_EQ(status_of([&] { copy_columns(positions, columns, particles); }), Status::ok);
  EXPECT_EQ(status_of([&] { copy_columns(positions, columns, particles, true); }), Status::invalid_argument);
  EXPECT_EQ(status_of([&] { copy_columns(positions, columns, particles - 1); }), Status::limit_exceeded);
  columns[0].name = "w";
  EXPECT_EQ(status_of([&] { copy_columns(positions, columns, particles); }), Status::not_found);
  // A frame that no decoder made: floats where its fields have integers.
  Frame false_ids = reader.read(0);
  for (Frame::Column &column : false_ids.columns) {
    column.floats.resize(particles);
    column.integers.clear();
  }
  columns = table.columns();
  EXPECT_EQ(status_of([&] { copy_columns(false_ids, columns, particles); }), Status::invalid_argument);
}

TEST(ChunkKind, IsReadFromTheFile) {
  const Bytes bytes = chained_file(5, 4);
  const Reader reader = reader_of(bytes);
  for (std::size_t f = 0; f < 5; ++f) {
    EXPECT_EQ(reader.chunk_kind(f, 0), f % 4 == 0 ? ChunkKind::block : ChunkKind::difference) << f;
    EXPECT_EQ(status_of([&] { reader.chunk_kind(f, 1); }), Status::not_found);
  }
  EXPECT_EQ(status_of([&] { reader.chunk_kind(5, 0); }), Status::not_found);
}

}  // namespace
}  // namespace gpz::test::copy_columns_test
