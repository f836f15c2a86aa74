// SPDX-License-Identifier: BSD-3-Clause
// Writers of the C interface, to files and to memory, and the metadata that they write.
#include "c_rows.hpp"

namespace gpz::test::c_writers_test {
namespace {

TEST(CMetadata, ComesBack) {
  const TemporaryFile file;
  const gpz_metadata metadata = full_metadata();
  gpz_writer *writer = nullptr;
  ASSERT_EQ(gpz_writer_open(file.path().c_str(), GPZ_CREATE, &metadata, 1, &writer), GPZ_OK) << gpz_last_error();
  ASSERT_EQ(gpz_writer_close(writer), GPZ_OK);
  gpz_reader *opened = nullptr;
  ASSERT_EQ(gpz_reader_open(file.path().c_str(), 1, &opened), GPZ_OK);
  const OpenReader reader(opened);
  gpz_metadata read = gpz_new_metadata();
  ASSERT_EQ(gpz_reader_metadata(opened, &read), GPZ_OK);
  expect_full(read);
  // A writer takes what a reader returns.
  ASSERT_EQ(gpz_writer_open_memory(&read, 1, &writer), GPZ_OK);
  Image image;
  ASSERT_EQ(gpz_writer_close_memory(writer, &image.bytes, &image.size), GPZ_OK);
  const Bytes bytes = file.bytes();
  ASSERT_EQ(image.size, bytes.size());
  EXPECT_EQ(std::memcmp(image.bytes, bytes.data(), image.size), 0);
}

TEST(CMetadata, MayBeNothing) {
  gpz_writer *writer = nullptr;
  ASSERT_EQ(gpz_writer_open_memory(nullptr, 1, &writer), GPZ_OK);
  Image image;
  ASSERT_EQ(gpz_writer_close_memory(writer, &image.bytes, &image.size), GPZ_OK);
  const OpenReader reader = open_image(image);
  gpz_metadata metadata = gpz_new_metadata();
  ASSERT_EQ(gpz_reader_metadata(reader.get(), &metadata), GPZ_OK);
  for (const char *text : {metadata.generator, metadata.units, metadata.atom_style, metadata.command})
    EXPECT_STREQ(text, "");
  EXPECT_EQ(metadata.column_count + metadata.element_count + metadata.type_label_count, 0u);
  EXPECT_EQ(metadata.timestep_size, 0);
  EXPECT_EQ(metadata.features, 0u);
  metadata.features = 1u << 31;  // one that this version does not know
  EXPECT_EQ(gpz_writer_open_memory(&metadata, 1, &writer), GPZ_INVALID_ARGUMENT);
  metadata.features = 0;
  metadata.reserved = 1;
  EXPECT_EQ(gpz_writer_open_memory(&metadata, 1, &writer), GPZ_INVALID_ARGUMENT);
  metadata.reserved = 0;
  metadata.element_count = 1;
  metadata.elements = nullptr;
  EXPECT_EQ(gpz_writer_open_memory(&metadata, 1, &writer), GPZ_INVALID_ARGUMENT);
}

TEST(CWriters, ToMemoryAndToAFileAreOne) {
  const Motion motion(particles, frames);
  const TemporaryFile file;
  gpz_writer *writer = nullptr;
  ASSERT_EQ(gpz_writer_open(file.path().c_str(), GPZ_CREATE, nullptr, 1, &writer), GPZ_OK);
  EXPECT_EQ(gpz_writer_set_order(writer, GPZ_ORDER_PLACE), GPZ_OK);
  motion.write_all(writer);
  const std::uint64_t size = gpz_writer_size(writer);
  EXPECT_EQ(size, file.bytes().size());
  ASSERT_EQ(gpz_writer_close(writer), GPZ_OK);
  Image image;
  motion.write_to(image);
  const Bytes bytes = file.bytes();
  ASSERT_EQ(image.size, bytes.size());
  EXPECT_EQ(std::memcmp(image.bytes, bytes.data(), image.size), 0);
}

TEST(CWriters, ToMemoryGoOnAfterARefusedFrame) {
  const Motion motion(particles, 2);
  gpz_writer *writer = nullptr;
  ASSERT_EQ(gpz_writer_open_memory(nullptr, 1, &writer), GPZ_OK);
  ASSERT_EQ(motion.write(writer, 0), GPZ_OK);
  const std::uint64_t before = gpz_writer_size(writer);
  const gpz_frame frame = gpz_new_frame(5, 0);
  const gpz_field field = gpz_column("id", GPZ_INT64, nullptr);
  EXPECT_EQ(gpz_writer_write(writer, &frame, &field, 1), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_writer_size(writer), before);
  ASSERT_EQ(motion.write(writer, 1), GPZ_OK);
  Image image;
  ASSERT_EQ(gpz_writer_close_memory(writer, &image.bytes, &image.size), GPZ_OK);
  EXPECT_EQ(gpz_reader_frames(open_image(image).get()), 2u);
}

TEST(CWriters, OfOtherKindsHaveNoImage) {
  const TemporaryFile file;
  gpz_writer *writer = nullptr;
  ASSERT_EQ(gpz_writer_open(file.path().c_str(), GPZ_CREATE, nullptr, 1, &writer), GPZ_OK);
  void *image = &writer;
  std::size_t size = 1;
  EXPECT_EQ(gpz_writer_close_memory(writer, &image, &size), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(image, nullptr);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(gpz_writer_close_memory(nullptr, &image, &size), GPZ_INVALID_ARGUMENT);
  ASSERT_EQ(gpz_writer_open_memory(nullptr, 1, &writer), GPZ_OK);
  EXPECT_EQ(gpz_writer_close(writer), GPZ_OK);  // gives the image up
  EXPECT_EQ(gpz_writer_open_descriptor(1, nullptr, nullptr, 1, &writer), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_writer_open_descriptor(-1, "nothing", nullptr, 1, &writer), GPZ_IO_ERROR);
  EXPECT_EQ(writer, nullptr);
}

}  // namespace
}  // namespace gpz::test::c_writers_test
