// SPDX-License-Identifier: BSD-3-Clause
// Structures of programs that were compiled with another version of gpz.h, and numbers that are no enumeration's.
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "c_api_support.hpp"

namespace gpz::test::c_structures_test {
namespace {

// A structure of a later version, with one more member.
template <class T>
struct Later {
  T known;
  std::uint64_t unknown = 0;
  explicit Later(const T &from) : known(from) { known.struct_size = sizeof *this; }
};

bool error_says(const std::string &words) { return std::string(gpz_last_error()).find(words) != std::string::npos; }

const double xyz[6] = {1, 2, 3, 4, 5, 6};

gpz_status compress(const gpz_frame *frame, const gpz_field *fields, std::size_t count = 1) {
  Image image;
  return gpz_compress(frame, fields, count, 1, &image.bytes, &image.size);
}

TEST(CStructures, OfAnEarlierVersionLackMembersThatAreZero) {
  const gpz_frame frame = gpz_new_frame(2, 0);
  gpz_field field = gpz_interleaved("x y z", GPZ_FLOAT64, xyz);
  field.struct_size = offsetof(gpz_field, bound);
  // Bytes after the structure are not read.
  field.bound = -1;
  field.display = static_cast<gpz_display>(7);
  EXPECT_EQ(compress(&frame, &field), GPZ_OK) << gpz_last_error();
  field.struct_size = sizeof field;
  EXPECT_EQ(compress(&frame, &field), GPZ_INVALID_ARGUMENT);

  gpz_metadata metadata = gpz_new_metadata();
  metadata.units = "real";
  metadata.struct_size = offsetof(gpz_metadata, atom_style);
  metadata.atom_style = reinterpret_cast<const char *>(8);
  metadata.column_count = 1000;
  gpz_writer *writer = nullptr;
  ASSERT_EQ(gpz_writer_open_memory(&metadata, 1, &writer), GPZ_OK) << gpz_last_error();
  Image image;
  ASSERT_EQ(gpz_writer_close_memory(writer, &image.bytes, &image.size), GPZ_OK);
  const Reader reader(static_cast<const std::uint8_t *>(image.bytes), image.size);
  EXPECT_EQ(reader.metadata().units, "real");
  EXPECT_EQ(reader.metadata().atom_style, "");

  // A frame without a dimension, which has no default, makes no sense.
  gpz_frame least = gpz_new_frame(2, 0);
  least.struct_size = offsetof(gpz_frame, dimension);
  field = gpz_interleaved("x y z", GPZ_FLOAT64, xyz);
  EXPECT_EQ(compress(&least, &field), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("dimension")) << gpz_last_error();
}

TEST(CStructures, OfALaterVersionAreTakenWhileTheyAddNothing) {
  Later<gpz_frame> frame(gpz_new_frame(2, 0));
  Later<gpz_field> field(gpz_interleaved("x y z", GPZ_FLOAT64, xyz));
  EXPECT_EQ(compress(&frame.known, &field.known), GPZ_OK) << gpz_last_error();
  field.unknown = 1;
  EXPECT_EQ(compress(&frame.known, &field.known), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("gpz_field")) << gpz_last_error();
  field.unknown = 0;
  frame.unknown = std::uint64_t{1} << 63;
  EXPECT_EQ(compress(&frame.known, &field.known), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("gpz_frame")) << gpz_last_error();

  Later<gpz_metadata> metadata(gpz_new_metadata());
  metadata.unknown = 1;
  gpz_writer *writer = nullptr;
  EXPECT_EQ(gpz_writer_open_memory(&metadata.known, 1, &writer), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(writer, nullptr);
}

TEST(CStructures, OfAnArrayFollowEachOtherBySize) {
  const gpz_frame frame = gpz_new_frame(2, 0);
  const std::int64_t id[2] = {5, 6};
  Later<gpz_field> fields[2] = {Later<gpz_field>(gpz_interleaved("x y z", GPZ_FLOAT64, xyz)),
                                Later<gpz_field>(gpz_column("id", GPZ_INT64, id))};
  Image image;
  ASSERT_EQ(gpz_compress(&frame, &fields[0].known, 2, 1, &image.bytes, &image.size), GPZ_OK) << gpz_last_error();
  const OpenReader reader = open_image(image);
  std::vector<std::int64_t> ids(2);
  ASSERT_EQ(gpz_reader_read_int64(reader.get(), 0, "id", ids.data(), 2), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(ids, (std::vector<std::int64_t>{5, 6}));
  fields[1].known.struct_size = sizeof(gpz_field);
  EXPECT_EQ(compress(&frame, &fields[0].known, 2), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("differ in struct_size")) << gpz_last_error();

  // Outputs: two columns into one table, whose structures are of a later version.
  double table[2][2] = {};
  Later<gpz_output> outputs[2] = {Later<gpz_output>(gpz_into_column("x", GPZ_FLOAT64, &table[0][0])),
                                  Later<gpz_output>(gpz_into_column("z", GPZ_FLOAT64, &table[0][1]))};
  for (auto &output : outputs) output.known.stride = sizeof table[0];
  ASSERT_EQ(gpz_reader_read(reader.get(), 0, &outputs[0].known, 2, 2, GPZ_SORT_BY_ID), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(table[1][0], 4);
  EXPECT_EQ(table[1][1], 6);
  outputs[1].unknown = 1;
  EXPECT_EQ(gpz_reader_read(reader.get(), 0, &outputs[0].known, 2, 2, 0), GPZ_INVALID_ARGUMENT);
}

// Pointers would be cut, and the second element would not be where structures can be.
TEST(CStructures, HaveSizesThatStructuresCanHave) {
  Image image;
  Motion(10, 1).write_to(image);
  const OpenReader reader = open_image(image);
  gpz_output outputs[2] = {gpz_into_column("x", GPZ_FLOAT64, nullptr), gpz_into_column("y", GPZ_FLOAT64, nullptr)};
  for (gpz_output &output : outputs) output.struct_size = sizeof output - 1;
  EXPECT_EQ(gpz_reader_read(reader.get(), 0, outputs, 2, 10, 0), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("struct_size is " + std::to_string(sizeof(gpz_output) - 1))) << gpz_last_error();
}

TEST(CStructures, AreFilledAsFarAsTheyReach) {
  Image image;
  Motion(10, 1).write_to(image);
  const OpenReader reader = open_image(image);
  // An earlier version: what lies behind stays.
  gpz_frame frame = gpz_new_frame(0, 0);
  frame.struct_size = offsetof(gpz_frame, time);
  frame.time = -1;
  frame.box_kind = GPZ_BOX_GENERAL;
  ASSERT_EQ(gpz_reader_frame(reader.get(), 0, &frame), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(frame.particles, 10u);
  EXPECT_EQ(frame.time, -1);
  EXPECT_EQ(frame.box_kind, GPZ_BOX_GENERAL);
  EXPECT_EQ(frame.struct_size, offsetof(gpz_frame, time));
  // A later one: what this version does not know stays.
  Later<gpz_column_info> column(gpz_new_column_info());
  column.unknown = 42;
  ASSERT_EQ(gpz_reader_column(reader.get(), 0, 3, &column.known), GPZ_OK) << gpz_last_error();
  EXPECT_STREQ(column.known.name, "id");
  EXPECT_EQ(column.unknown, 42u);
  EXPECT_EQ(column.known.struct_size, sizeof column);
}

TEST(CStructures, NeedASize) {
  Image image;
  Motion(10, 1).write_to(image);
  const OpenReader reader = open_image(image);
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{1} << 20, ~std::size_t{0}}) {
    SCOPED_TRACE(size);
    gpz_frame frame = gpz_new_frame(2, 0);
    gpz_field field = gpz_interleaved("x y z", GPZ_FLOAT64, xyz);
    field.struct_size = size;
    EXPECT_EQ(compress(&frame, &field), GPZ_INVALID_ARGUMENT);
    EXPECT_TRUE(error_says("gpz_field: struct_size")) << gpz_last_error();
    frame.struct_size = size;
    EXPECT_EQ(gpz_reader_frame(reader.get(), 0, &frame), GPZ_INVALID_ARGUMENT);
    EXPECT_EQ(frame.particles, 2u);
    gpz_scan scan = gpz_new_scan();
    scan.struct_size = size;
    EXPECT_EQ(gpz_reader_scan(reader.get(), &scan), GPZ_INVALID_ARGUMENT);
    gpz_record record = gpz_new_record();
    record.struct_size = size;
    gpz_writer *writer = nullptr;
    ASSERT_EQ(gpz_writer_open_memory(nullptr, 1, &writer), GPZ_OK);
    EXPECT_EQ(gpz_writer_write_record(writer, &record), GPZ_INVALID_ARGUMENT);
    EXPECT_TRUE(error_says("gpz_record: struct_size")) << gpz_last_error();
    EXPECT_EQ(gpz_writer_close(writer), GPZ_OK);
    gpz_metadata metadata = gpz_new_metadata();
    metadata.struct_size = size;
    EXPECT_EQ(gpz_reader_metadata(reader.get(), &metadata), GPZ_INVALID_ARGUMENT);
    EXPECT_EQ(metadata.units, nullptr);
  }
  EXPECT_EQ(gpz_reader_frame(reader.get(), 0, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_reader_scan(reader.get(), nullptr), GPZ_INVALID_ARGUMENT);
}

TEST(CStructures, HaveNothingInReservedMembers) {
  const gpz_frame frame = gpz_new_frame(2, 0);
  gpz_field field = gpz_interleaved("x y z", GPZ_FLOAT64, xyz);
  field.reserved = 1;
  EXPECT_EQ(compress(&frame, &field), GPZ_INVALID_ARGUMENT);
  EXPECT_TRUE(error_says("field \"x y z\": reserved")) << gpz_last_error();
}

// Any number, as C programs can pass it: the constants of the enumerations would be in the way. In C++ there is no such
// value, which the sanitizer of Clang says where one is returned.
template <class E>
__attribute__((no_sanitize("enum"))) E numbered(int number) {
  E value;
  static_assert(sizeof value == sizeof number);
  std::memcpy(&value, &number, sizeof value);
  return value;
}

TEST(CEnumerations, TakeTheirNumbersOnly) {
  const std::int64_t id[2] = {1, 2};
  for (const int number : {-1, 3, 5, 6, 1000, 0x7FFFFFFF}) {
    SCOPED_TRACE(number);
    gpz_frame frame = gpz_new_frame(2, 0);
    gpz_field field = gpz_column("id", GPZ_INT64, id);
    field.display = numbered<gpz_display>(number);
    EXPECT_EQ(compress(&frame, &field), GPZ_INVALID_ARGUMENT);
    EXPECT_TRUE(error_says("field \"id\": display")) << gpz_last_error();
    field.display = GPZ_TYPE_LABEL;
    EXPECT_EQ(compress(&frame, &field), GPZ_OK) << gpz_last_error();
    field.bound_kind = numbered<gpz_bound_kind>(number);  // 3 needs an origin
    EXPECT_EQ(compress(&frame, &field), GPZ_INVALID_ARGUMENT);
    field.bound_kind = GPZ_LOSSLESS;
    field.type = numbered<gpz_type>(number == 3 ? 0 : number);
    EXPECT_EQ(compress(&frame, &field), GPZ_INVALID_ARGUMENT);
    field.type = GPZ_INT64;
    frame.box_kind = numbered<gpz_box_kind>(number == 3 ? 4 : number);
    EXPECT_EQ(compress(&frame, &field), GPZ_INVALID_ARGUMENT);

    gpz_writer *writer = nullptr;
    EXPECT_EQ(gpz_writer_open("/nonexistent/x", numbered<gpz_mode>(number), nullptr, 1, &writer), GPZ_INVALID_ARGUMENT);
    ASSERT_EQ(gpz_writer_open_memory(nullptr, 1, &writer), GPZ_OK);
    EXPECT_EQ(gpz_writer_set_order(writer, numbered<gpz_order>(number == 3 ? 4 : number)), GPZ_INVALID_ARGUMENT);
    EXPECT_EQ(gpz_writer_set_effort(writer, numbered<gpz_effort>(number)), GPZ_INVALID_ARGUMENT);
    EXPECT_EQ(gpz_writer_close(writer), GPZ_OK);
  }
  gpz_field field = gpz_interleaved("x y z", GPZ_FLOAT64, xyz);
  const gpz_frame frame = gpz_new_frame(2, 0);
  field.display = GPZ_ELEMENT;
  EXPECT_EQ(compress(&frame, &field), GPZ_INVALID_ARGUMENT);  // of floats
  gpz_writer *writer = nullptr;
  EXPECT_EQ(gpz_writer_open_memory(nullptr, -1, &writer), GPZ_INVALID_ARGUMENT);
}

// Boxes are read at the distance that the program's structure has.
TEST(CStructures, BoxesOfALaterVersionAreThoseOfAllFrames) {
  constexpr std::size_t frames = 3, particles = 200;
  std::vector<double> values;
  std::vector<gpz_frame> boxes;
  std::vector<Later<gpz_frame>> later;
  for (std::size_t f = 0; f < frames; ++f) {
    gpz_frame box = gpz_new_frame(particles, 0);
    box.box_kind = GPZ_BOX_ORTHOGONAL;
    for (int d = 0; d < 3; ++d) {
      box.boundary[2 * d] = box.boundary[2 * d + 1] = 'p';
      box.box[2 * d] = 0;
      box.box[2 * d + 1] = 10.0 + static_cast<double>(f);
    }
    boxes.push_back(box);
    later.emplace_back(box);
    for (std::size_t i = 0; i < 3 * particles; ++i) values.push_back(static_cast<double>((i * 7 + f) % 10));
  }
  Image images[2];
  for (int k = 0; k < 2; ++k) {
    gpz_frame_array given = gpz_new_frame_array(GPZ_FLOAT64, frames, particles, 3, 0.01);
    given.boxes = k == 0 ? boxes.data() : &later.front().known;
    given.box_count = frames;
    ASSERT_EQ(gpz_compress_frames(&given, values.data(), &images[k].bytes, &images[k].size), GPZ_OK)
        << gpz_last_error();
  }
  ASSERT_EQ(images[0].size, images[1].size);
  EXPECT_EQ(std::memcmp(images[0].bytes, images[1].bytes, images[0].size), 0);
}

}  // namespace
}  // namespace gpz::test::c_structures_test
