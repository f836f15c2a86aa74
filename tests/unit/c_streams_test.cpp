// SPDX-License-Identifier: BSD-3-Clause
// Streams of the C interface: frames from a pipe, one after the other.
#include "c_rows.hpp"

namespace gpz::test::c_streams_test {
namespace {

// The reading end of a pipe that has the bytes of `feed`, which writes to the other end.
class Pipe {
 public:
  explicit Pipe(std::function<void(int)> feed) {
    if (pipe(ends_) != 0) throw std::runtime_error("pipe");
    feeder_ = std::thread([this, feed = std::move(feed)] {
      feed(ends_[1]);
      close(ends_[1]);
    });
  }
  ~Pipe() {
    char rest[4096];
    while (::read(ends_[0], rest, sizeof rest) > 0) {
    }
    feeder_.join();
    close(ends_[0]);
  }
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;
  int descriptor() const { return ends_[0]; }

 private:
  int ends_[2];
  std::thread feeder_;
};

TEST(CStreams, FromWriterToReader) {
  const Motion motion(particles, frames);
  const Pipe pipe([&](int descriptor) {
    const gpz_metadata metadata = full_metadata();
    gpz_writer *writer = nullptr;
    ASSERT_EQ(gpz_writer_open_descriptor(descriptor, "pipe", &metadata, 1, &writer), GPZ_OK) << gpz_last_error();
    motion.write_all(writer);
    EXPECT_EQ(gpz_writer_frames(writer), static_cast<std::size_t>(frames));
    EXPECT_EQ(gpz_writer_sync(writer), GPZ_OK);
    EXPECT_EQ(gpz_writer_close(writer), GPZ_OK) << gpz_last_error();
  });
  gpz_stream *opened = nullptr;
  ASSERT_EQ(gpz_stream_open(pipe.descriptor(), "pipe", 1, &opened), GPZ_OK) << gpz_last_error();
  const OpenStream stream(opened);
  gpz_metadata metadata = gpz_new_metadata();
  ASSERT_EQ(gpz_stream_metadata(opened, &metadata), GPZ_OK);
  expect_full(metadata);
  std::size_t count = 0;
  EXPECT_EQ(gpz_stream_column_count(opened, &count), GPZ_NOT_FOUND);
  int found = 0;
  for (std::size_t f = 0; f < frames; ++f) {
    SCOPED_TRACE(f);
    gpz_frame frame = gpz_new_frame(0, 0);
    ASSERT_EQ(gpz_stream_next(opened, &frame, &found), GPZ_OK) << gpz_last_error();
    ASSERT_EQ(found, 1);
    EXPECT_EQ(frame.timestep, static_cast<std::int64_t>(100 * f));
    EXPECT_EQ(frame.since_key, f % 3);
    ASSERT_EQ(gpz_stream_column_count(opened, &count), GPZ_OK);
    EXPECT_EQ(count, 6u);
    gpz_column_info info = gpz_new_column_info();
    ASSERT_EQ(gpz_stream_column(opened, 4, &info), GPZ_OK);
    EXPECT_EQ(info.display, GPZ_ELEMENT);
    for (const unsigned flags : {static_cast<unsigned>(GPZ_SORT_BY_ID), 0u}) {
      std::vector<Row> rows = empty_table();
      const auto outputs = outputs_of(rows);
      ASSERT_EQ(gpz_stream_read(opened, outputs.data(), outputs.size(), particles, flags), GPZ_OK) << gpz_last_error();
      expect_rows(rows, motion, f, flags != 0);
    }
    if (f == 1)
      expect_refusals([&](const gpz_output *outputs, std::size_t size, std::size_t capacity, unsigned flags) {
        return gpz_stream_read(opened, outputs, size, capacity, flags);
      });
  }
  ASSERT_EQ(gpz_stream_next(opened, nullptr, &found), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(found, 0);
  EXPECT_EQ(gpz_stream_column_count(opened, &count), GPZ_NOT_FOUND);
}

TEST(CStreams, BadArgumentsTakeNoFrame) {
  Image image;
  Motion(particles, 2).write_to(image);
  const Pipe pipe(
      [&](int descriptor) { EXPECT_EQ(write(descriptor, image.bytes, image.size), static_cast<ssize_t>(image.size)); });
  gpz_stream *opened = nullptr;
  ASSERT_EQ(gpz_stream_open(pipe.descriptor(), "pipe", 1, &opened), GPZ_OK);
  const OpenStream stream(opened);
  gpz_frame frame = gpz_new_frame(0, 0);
  int found = 0;
  EXPECT_EQ(gpz_stream_next(opened, &frame, nullptr), GPZ_INVALID_ARGUMENT);
  frame.struct_size = 0;
  EXPECT_EQ(gpz_stream_next(opened, &frame, &found), GPZ_INVALID_ARGUMENT);
  frame = gpz_new_frame(0, 0);
  ASSERT_EQ(gpz_stream_next(opened, &frame, &found), GPZ_OK);
  EXPECT_EQ(frame.timestep, 0);
}

TEST(CStreams, FailuresAreStatuses) {
  Image image;
  Motion(particles, 2).write_to(image);
  gpz_stream *stream = reinterpret_cast<gpz_stream *>(8);
  EXPECT_EQ(gpz_stream_open(-1, "nothing", 1, &stream), GPZ_IO_ERROR);
  EXPECT_EQ(stream, nullptr);
  EXPECT_EQ(gpz_stream_open(0, nullptr, 1, &stream), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_stream_next(nullptr, nullptr, nullptr), GPZ_INVALID_ARGUMENT);
  gpz_stream_close(nullptr);
  const Pipe pipe([&](int descriptor) {
    const std::size_t part = image.size / 2;
    EXPECT_EQ(write(descriptor, image.bytes, part), static_cast<ssize_t>(part));
  });
  ASSERT_EQ(gpz_stream_open(pipe.descriptor(), "pipe", 1, &stream), GPZ_OK);
  const OpenStream closed(stream);
  int found = 1;
  gpz_status status = GPZ_OK;
  for (int f = 0; f < 2 && status == GPZ_OK; ++f) status = gpz_stream_next(stream, nullptr, &found);
  EXPECT_EQ(status, GPZ_TRUNCATED);
  EXPECT_EQ(found, 0);
}

}  // namespace
}  // namespace gpz::test::c_streams_test
