// SPDX-License-Identifier: BSD-3-Clause
// Readers of the C interface: columns into any array, in the order of ids; what files and frames say about themselves.
#include "c_rows.hpp"

namespace gpz::test::c_reading_test {
namespace {

TEST(CReading, SeveralColumnsIntoATable) {
  const Motion motion(particles, frames);
  for (const gpz_order order : {GPZ_ORDER_PLACE, GPZ_ORDER_ID}) {
    Image image;
    motion.write_to(image, order);
    const OpenReader reader = open_image(image);
    for (const std::size_t f : {3, 0, 1, 2, 4, 4}) {
      for (const unsigned flags : {0u, static_cast<unsigned>(GPZ_SORT_BY_ID)}) {
        SCOPED_TRACE(f);
        std::vector<Row> rows = empty_table();
        const auto outputs = outputs_of(rows);
        ASSERT_EQ(gpz_reader_read(reader.get(), f, outputs.data(), outputs.size(), particles, flags), GPZ_OK)
            << gpz_last_error();
        expect_rows(rows, motion, f, flags != 0);
      }
    }
  }
}

TEST(CReading, PositionsInterleavedInTheOrderOfIds) {
  const Motion motion(particles, frames);
  Image image;
  motion.write_to(image);
  const OpenReader reader = open_image(image);
  for (std::size_t f = 0; f < frames; ++f) {
    std::vector<double> xyz(3 * particles);
    const gpz_output positions = gpz_into_interleaved("x y z", GPZ_FLOAT64, xyz.data());
    ASSERT_EQ(gpz_reader_read(reader.get(), f, &positions, 1, particles, GPZ_SORT_BY_ID), GPZ_OK) << gpz_last_error();
    std::size_t i = 0;
    for (const auto &[id, particle] : motion.frames[f]) {
      for (const double x : particle.x) ASSERT_LE(std::fabs(xyz[i++] - x), Motion::bound) << id;
    }
  }
}

TEST(CReading, SomeIds) {
  const Motion motion(particles, frames);
  for (const gpz_order order : {GPZ_ORDER_PLACE, GPZ_ORDER_ID}) {
    Image image;
    motion.write_to(image, order);
    const OpenReader reader = open_image(image);
    constexpr std::int64_t low = Motion::first_id + 3, high = Motion::first_id + 12;
    const std::int64_t chosen[] = {high, low, high};
    ASSERT_EQ(gpz_reader_select_ids(reader.get(), chosen, 3), GPZ_OK) << gpz_last_error();
    for (const std::size_t f : {0, 1, 4, 2}) {
      std::int64_t ids[2] = {};
      double xyz[6] = {};
      const gpz_output outputs[] = {gpz_into_column("id", GPZ_INT64, ids),
                                    gpz_into_interleaved("x y z", GPZ_FLOAT64, xyz)};
      ASSERT_EQ(gpz_reader_read(reader.get(), f, outputs, 2, 2, GPZ_SORT_BY_ID), GPZ_OK) << gpz_last_error();
      for (std::size_t row = 0; row < 2; ++row) {
        EXPECT_EQ(ids[row], row == 0 ? low : high);
        for (std::size_t d = 0; d < 3; ++d)
          EXPECT_LE(std::fabs(xyz[3 * row + d] - motion.frames[f].at(ids[row]).x[d]), Motion::bound);
      }
      EXPECT_EQ(gpz_reader_read_int64(reader.get(), f, "id", ids, 2), GPZ_OK) << gpz_last_error();
      EXPECT_EQ(gpz_reader_read_int64(reader.get(), f, "id", ids, 1), GPZ_LIMIT_EXCEEDED);
    }
    // An id that no frame has; no ids; all particles again.
    std::vector<std::int64_t> room(particles);
    const std::int64_t missing[] = {low, -5};
    ASSERT_EQ(gpz_reader_select_ids(reader.get(), missing, 2), GPZ_OK) << gpz_last_error();
    EXPECT_EQ(gpz_reader_read_int64(reader.get(), 0, "id", room.data(), particles), GPZ_NOT_FOUND);
    EXPECT_NE(std::string(gpz_last_error()).find("frame 0 has 1 particles with the 2 ids"), std::string::npos);
    ASSERT_EQ(gpz_reader_select_ids(reader.get(), missing, 0), GPZ_OK) << gpz_last_error();
    EXPECT_EQ(gpz_reader_read_int64(reader.get(), 0, "id", room.data(), 0), GPZ_OK) << gpz_last_error();
    ASSERT_EQ(gpz_reader_select_ids(reader.get(), nullptr, 0), GPZ_OK) << gpz_last_error();
    EXPECT_EQ(gpz_reader_read_int64(reader.get(), 0, "id", room.data(), particles), GPZ_OK) << gpz_last_error();
    EXPECT_EQ(gpz_reader_select_ids(reader.get(), nullptr, 1), GPZ_INVALID_ARGUMENT);
    EXPECT_EQ(gpz_reader_select_ids(nullptr, missing, 1), GPZ_INVALID_ARGUMENT);
  }
}

TEST(CReading, BackwardsAndWithoutRows) {
  const Motion motion(particles, 1);
  Image image;
  motion.write_to(image);
  const OpenReader reader = open_image(image);
  std::vector<std::int64_t> ids(particles);
  gpz_output output = gpz_into_column("id", GPZ_INT64, &ids.back());
  output.stride = -8;
  ASSERT_EQ(gpz_reader_read(reader.get(), 0, &output, 1, particles, GPZ_SORT_BY_ID), GPZ_OK) << gpz_last_error();
  EXPECT_TRUE(std::is_sorted(ids.rbegin(), ids.rend()));
  EXPECT_EQ(ids.back(), Motion::first_id);
  EXPECT_EQ(gpz_reader_read(reader.get(), 0, nullptr, 0, particles, 0), GPZ_OK) << gpz_last_error();

  const gpz_frame none = gpz_new_frame(0, 0);
  const gpz_field field = gpz_column("id", GPZ_INT64, nullptr);
  Image empty;
  ASSERT_EQ(gpz_compress(&none, &field, 1, 1, &empty.bytes, &empty.size), GPZ_OK) << gpz_last_error();
  output = gpz_into_column("id", GPZ_INT64, nullptr);
  EXPECT_EQ(gpz_reader_read(open_image(empty).get(), 0, &output, 1, 0, GPZ_SORT_BY_ID), GPZ_OK) << gpz_last_error();
}

TEST(CReading, RefusesWhatDoesNotFit) {
  Image image;
  Motion(particles, 2).write_to(image);
  const OpenReader reader = open_image(image);
  expect_refusals([&](const gpz_output *outputs, std::size_t count, std::size_t capacity, unsigned flags) {
    return gpz_reader_read(reader.get(), 1, outputs, count, capacity, flags);
  });
  std::vector<std::int64_t> ids(particles);
  const gpz_output output = gpz_into_column("id", GPZ_INT64, ids.data());
  EXPECT_EQ(gpz_reader_read(reader.get(), 2, &output, 1, particles, 0), GPZ_NOT_FOUND);
  EXPECT_EQ(gpz_reader_read(nullptr, 0, &output, 1, particles, 0), GPZ_INVALID_ARGUMENT);
}

TEST(CReading, IntegersThatDoNotFitInto32Bits) {
  const std::int64_t id[3] = {1, std::int64_t{1} << 31, -5};
  const gpz_frame frame = gpz_new_frame(3, 0);
  const gpz_field field = gpz_column("id", GPZ_INT64, id);
  Image image;
  ASSERT_EQ(gpz_compress(&frame, &field, 1, 1, &image.bytes, &image.size), GPZ_OK);
  const OpenReader reader = open_image(image);
  std::int32_t small[3];
  gpz_output output = gpz_into_column("id", GPZ_INT32, small);
  EXPECT_EQ(gpz_reader_read(reader.get(), 0, &output, 1, 3, 0), GPZ_LIMIT_EXCEEDED);
  std::int64_t large[3];
  output = gpz_into_column("id", GPZ_INT64, large);
  EXPECT_EQ(gpz_reader_read(reader.get(), 0, &output, 1, 3, GPZ_SORT_BY_ID), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(large[0], -5);
  EXPECT_EQ(large[2], std::int64_t{1} << 31);
}

// Without ids of their own, particles are numbered: they come back in the order given.
TEST(CReading, ParticlesWithoutIdsAreNumbered) {
  double x[300];
  for (int i = 0; i < 300; ++i) x[i] = i * 7919 % 300;
  gpz_field field = gpz_column("x", GPZ_FLOAT64, x);
  const gpz_frame frame = gpz_new_frame(300, 0);
  Image image;
  ASSERT_EQ(gpz_compress(&frame, &field, 1, 1, &image.bytes, &image.size), GPZ_OK);
  const OpenReader reader = open_image(image);
  double back[300];
  std::int64_t id[300];
  const gpz_output outputs[] = {gpz_into_column("x", GPZ_FLOAT64, back), gpz_into_column("id", GPZ_INT64, id)};
  ASSERT_EQ(gpz_reader_read(reader.get(), 0, outputs, 2, 300, GPZ_SORT_BY_ID), GPZ_OK) << gpz_last_error();
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(id[i], i + 1);
    EXPECT_EQ(back[i], x[i]);
  }
}

TEST(CReading, SortingNeedsIds) {
  const double x[3] = {3, 1, 2};
  const gpz_frame frame = gpz_new_frame(3, 0);
  const gpz_field field = gpz_column("x", GPZ_FLOAT64, x);
  Image image;
  gpz_writer *writer = nullptr;
  ASSERT_EQ(gpz_writer_open_memory(nullptr, 1, &writer), GPZ_OK);
  EXPECT_EQ(gpz_writer_set_order(writer, GPZ_ORDER_PLACE), GPZ_OK);
  EXPECT_EQ(gpz_writer_write(writer, &frame, &field, 1), GPZ_OK);
  ASSERT_EQ(gpz_writer_close_memory(writer, &image.bytes, &image.size), GPZ_OK);
  const OpenReader reader = open_image(image);
  double back[3];
  const gpz_output output = gpz_into_column("x", GPZ_FLOAT64, back);
  EXPECT_EQ(gpz_reader_read(reader.get(), 0, &output, 1, 3, GPZ_SORT_BY_ID), GPZ_NOT_FOUND);
  EXPECT_EQ(gpz_reader_read(reader.get(), 0, &output, 1, 3, 0), GPZ_OK) << gpz_last_error();
}

TEST(CReading, FloatIdsAreIntegersOrRefused) {
  const double whole[3] = {3, 1, 2}, other[3] = {3, 1.5, 2};
  const gpz_frame frame = gpz_new_frame(3, 0);
  Image image;
  gpz_writer *writer = nullptr;
  ASSERT_EQ(gpz_writer_open_memory(nullptr, 1, &writer), GPZ_OK);
  const gpz_field good = gpz_column("id", GPZ_FLOAT64, whole), bad = gpz_column("id", GPZ_FLOAT64, other);
  EXPECT_EQ(gpz_writer_write(writer, &frame, &bad, 1), GPZ_INVALID_ARGUMENT);
  EXPECT_NE(std::string(gpz_last_error()).find("1.5"), std::string::npos) << gpz_last_error();
  EXPECT_EQ(gpz_writer_write(writer, &frame, &good, 1), GPZ_OK) << gpz_last_error();
  ASSERT_EQ(gpz_writer_close_memory(writer, &image.bytes, &image.size), GPZ_OK);
  const OpenReader reader = open_image(image);
  std::int64_t back[3];
  const gpz_output output = gpz_into_column("id", GPZ_INT64, back);
  EXPECT_EQ(gpz_reader_read(reader.get(), 0, &output, 1, 3, GPZ_SORT_BY_ID), GPZ_OK) << gpz_last_error();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(back[i], i + 1);
}

TEST(CReading, EqualIdsStayAsTheyAreStored) {
  const std::int64_t id[6] = {4, 2, 4, 2, 4, 1};
  const std::int64_t number[6] = {0, 1, 2, 3, 4, 5};
  const gpz_frame frame = gpz_new_frame(6, 0);
  const gpz_field fields[2] = {gpz_column("id", GPZ_INT64, id), gpz_column("n", GPZ_INT64, number)};
  Image image;
  ASSERT_EQ(gpz_compress(&frame, fields, 2, 1, &image.bytes, &image.size), GPZ_OK);
  const OpenReader reader = open_image(image);
  std::vector<std::int64_t> sorted(6);
  const gpz_output output = gpz_into_column("n", GPZ_INT64, sorted.data());
  ASSERT_EQ(gpz_reader_read(reader.get(), 0, &output, 1, 6, GPZ_SORT_BY_ID), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(sorted, (std::vector<std::int64_t>{5, 1, 3, 0, 2, 4}));
}

TEST(CReading, DescribesColumns) {
  Image image;
  Motion(particles, 1).write_to(image);
  const OpenReader reader = open_image(image);
  std::size_t count = 0;
  ASSERT_EQ(gpz_reader_column_count(reader.get(), 0, &count), GPZ_OK);
  ASSERT_EQ(count, 6u);
  struct Expected {
    const char *name;
    gpz_type type;
    gpz_display display;
    double bound;
    std::uint32_t field, component, column;
  };
  const Expected expected[6] = {
      {"x", GPZ_FLOAT64, GPZ_NUMBER, Motion::bound, 0, 0, 0}, {"y", GPZ_FLOAT64, GPZ_NUMBER, Motion::bound, 0, 1, 1},
      {"z", GPZ_FLOAT64, GPZ_NUMBER, Motion::bound, 0, 2, 2}, {"id", GPZ_INT64, GPZ_NUMBER, 0, 1, 0, 3},
      {"type", GPZ_INT64, GPZ_ELEMENT, 0, 2, 0, 4},           {"v", GPZ_FLOAT32, GPZ_NUMBER, 0, 3, 0, 5}};
  for (std::size_t c = 0; c < 6; ++c) {
    SCOPED_TRACE(expected[c].name);
    gpz_column_info info = gpz_new_column_info();
    ASSERT_EQ(gpz_reader_column(reader.get(), 0, c, &info), GPZ_OK);
    EXPECT_STREQ(info.name, expected[c].name);
    EXPECT_EQ(info.type, expected[c].type);
    EXPECT_EQ(info.display, expected[c].display);
    EXPECT_EQ(info.bound, expected[c].bound);
    EXPECT_LE(info.largest_error, info.bound);
    EXPECT_EQ(info.field, expected[c].field);
    EXPECT_EQ(info.component, expected[c].component);
    EXPECT_EQ(info.column, expected[c].column);
  }
}

TEST(CReading, SaysAllOfAFileAtOnce) {
  const Motion motion(particles, frames);
  Image image;
  motion.write_to(image);
  const OpenReader reader = open_image(image);
  std::vector<std::int64_t> timesteps(frames);
  std::vector<double> times(frames);
  std::vector<std::uint64_t> counts(frames);
  ASSERT_EQ(gpz_reader_index(reader.get(), timesteps.data(), times.data(), counts.data(), frames), GPZ_OK);
  EXPECT_EQ(timesteps, (std::vector<std::int64_t>{0, 100, 200, 300, 400}));
  EXPECT_EQ(times, (std::vector<double>{0, 0.5, 1, 1.5, 2}));
  EXPECT_EQ(counts, std::vector<std::uint64_t>(frames, particles));
  std::fill(times.begin(), times.end(), -1);
  ASSERT_EQ(gpz_reader_index(reader.get(), nullptr, times.data(), nullptr, frames), GPZ_OK);
  EXPECT_EQ(times[4], 2);
  EXPECT_EQ(gpz_reader_index(reader.get(), timesteps.data(), nullptr, nullptr, frames - 1), GPZ_LIMIT_EXCEEDED);
  for (std::size_t f = 0; f < frames; ++f) {
    gpz_frame frame = gpz_new_frame(0, 0);
    ASSERT_EQ(gpz_reader_frame(reader.get(), f, &frame), GPZ_OK);
    EXPECT_EQ(frame.since_key, f % 3);
  }
  gpz_frame frame = gpz_new_frame(0, 0);
  EXPECT_EQ(gpz_reader_frame(reader.get(), frames, &frame), GPZ_NOT_FOUND);
}

TEST(CReading, KnowsTheStateOfAFile) {
  Image image;
  Motion(particles, frames).write_to(image);
  const auto scan_of = [](const void *bytes, std::size_t size) {
    gpz_reader *reader = nullptr;
    EXPECT_EQ(gpz_reader_open_memory(bytes, size, 1, &reader), GPZ_OK) << gpz_last_error();
    gpz_scan scan = gpz_new_scan();
    EXPECT_EQ(gpz_reader_scan(reader, &scan), GPZ_OK) << gpz_last_error();
    gpz_reader_close(reader);
    return scan;
  };
  const gpz_scan whole = scan_of(image.bytes, image.size);
  EXPECT_EQ(whole.file_size, image.size);
  EXPECT_LT(whole.complete_size, image.size);  // the index follows
  EXPECT_TRUE(whole.has_index && !whole.torn && !whole.damaged);
  const gpz_scan open = scan_of(image.bytes, static_cast<std::size_t>(whole.complete_size));
  EXPECT_TRUE(!open.has_index && !open.torn && !open.damaged);
  const gpz_scan torn = scan_of(image.bytes, static_cast<std::size_t>(whole.complete_size) - 8);
  EXPECT_TRUE(!torn.has_index && torn.torn && !torn.damaged);
  Bytes bytes(static_cast<std::uint8_t *>(image.bytes), static_cast<std::uint8_t *>(image.bytes) + whole.complete_size);
  const FileScan frames_at = scan_bytes(bytes);
  bytes[static_cast<std::size_t>(frames_at.frames[1].offset) + 30] ^= 1;  // a head
  const gpz_scan damaged = scan_of(bytes.data(), bytes.size());
  EXPECT_TRUE(!damaged.torn && damaged.damaged);
}

TEST(CReading, OfAnImageWithOptionsHasALimit) {
  Image image;
  Motion(particles, frames).write_to(image);
  gpz_reader *reader = nullptr;
  gpz_read_options options = gpz_new_read_options();
  ASSERT_EQ(gpz_reader_open_memory_with(image.bytes, image.size, &options, &reader), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(gpz_reader_verify(reader, 0), GPZ_OK) << gpz_last_error();
  gpz_reader_close(reader);
  options.max_memory = 1;
  EXPECT_EQ(gpz_reader_open_memory_with(image.bytes, image.size, &options, &reader), GPZ_LIMIT_EXCEEDED);
  EXPECT_EQ(reader, nullptr);
  options = gpz_new_read_options();
  options.reserved = 1;
  EXPECT_EQ(gpz_reader_open_memory_with(image.bytes, image.size, &options, &reader), GPZ_INVALID_ARGUMENT);
}

TEST(CReading, ElementsHaveTheSizeOfTheirType) {
  EXPECT_EQ(gpz_size_of(GPZ_INT32), sizeof(std::int32_t));
  EXPECT_EQ(gpz_size_of(GPZ_INT64), sizeof(std::int64_t));
  EXPECT_EQ(gpz_size_of(GPZ_FLOAT32), sizeof(float));
  EXPECT_EQ(gpz_size_of(GPZ_FLOAT64), sizeof(double));
}

TEST(CReading, VerifiesFrames) {
  Image image;
  Motion(particles, frames).write_to(image);
  {
    const OpenReader reader = open_image(image);
    for (std::size_t f = 0; f < frames; ++f) EXPECT_EQ(gpz_reader_verify(reader.get(), f), GPZ_OK);
    EXPECT_EQ(gpz_reader_verify(reader.get(), frames), GPZ_NOT_FOUND);
  }
  // A byte of the chunk of frame 1, on which frame 2 builds, and frame 3 does not.
  auto *const bytes = static_cast<std::uint8_t *>(image.bytes);
  const FileScan scan = scan_bytes(Bytes(bytes, bytes + image.size));
  bytes[scan.frames[1].offset + scan.frames[1].length - 64] ^= 1;
  const OpenReader reader = open_image(image);
  const gpz_status expected[frames] = {GPZ_OK, GPZ_CORRUPT, GPZ_CORRUPT, GPZ_OK, GPZ_OK};
  for (std::size_t f = 0; f < frames; ++f) EXPECT_EQ(gpz_reader_verify(reader.get(), f), expected[f]) << f;
}

}  // namespace
}  // namespace gpz::test::c_reading_test
