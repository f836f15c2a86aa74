// SPDX-License-Identifier: BSD-3-Clause
// The C interface: round trips through memory and files, pinned numbers, and errors instead of exceptions.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "c_api_support.hpp"
#include "gpz/reader.hpp"

extern "C" int write_and_read_in_c(const char *path);

namespace gpz::test::container_c_api_test {
namespace {

TEST(CApi, WorksFromC) {
  const TemporaryFile file;
  EXPECT_EQ(write_and_read_in_c(file.path().c_str()), 0) << gpz_last_error();
}

TEST(CApi, MemoryRoundTrip) {
  const int n = 3000;
  const Cloud cloud(n);
  gpz_field fields[4] = {gpz_interleaved("x y z", GPZ_FLOAT64, cloud.xyz.data()),
                         gpz_column("id", GPZ_INT64, cloud.id.data()), gpz_column("type", GPZ_INT32, cloud.type.data()),
                         gpz_column("v", GPZ_FLOAT32, cloud.v.data())};
  fields[0].bound_kind = GPZ_ABSOLUTE;
  fields[0].bound = 0.01;
  fields[3].bound_kind = GPZ_RELATIVE;
  fields[3].bound = 1e-3;
  gpz_frame frame = gpz_new_frame(n, 42);
  frame.box_kind = GPZ_BOX_TRICLINIC;
  for (int i = 0; i < 9; ++i) frame.box[i] = i;
  frame.boundary[0] = 'p';
  Image image;
  ASSERT_EQ(gpz_compress(&frame, fields, 4, 1, &image.bytes, &image.size), GPZ_OK) << gpz_last_error();
  EXPECT_LT(image.size, n * 44u / 2);

  gpz_reader *reader = nullptr;
  ASSERT_EQ(gpz_reader_open_memory(image.bytes, image.size, 1, &reader), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(gpz_reader_frames(reader), 1u);
  gpz_frame info = gpz_new_frame(0, 0);
  ASSERT_EQ(gpz_reader_frame(reader, 0, &info), GPZ_OK);
  EXPECT_EQ(info.particles, static_cast<std::uint64_t>(n));
  EXPECT_EQ(info.timestep, 42);
  EXPECT_TRUE(std::isnan(info.time));
  EXPECT_EQ(info.box_kind, GPZ_BOX_TRICLINIC);
  EXPECT_EQ(info.box[8], 8);
  EXPECT_EQ(info.boundary[0], 'p');
  std::size_t columns = 0;
  ASSERT_EQ(gpz_reader_column_count(reader, 0, &columns), GPZ_OK);
  ASSERT_EQ(columns, 6u);
  gpz_column_info column = gpz_new_column_info();
  ASSERT_EQ(gpz_reader_column(reader, 0, 5, &column), GPZ_OK);
  EXPECT_STREQ(column.name, "v");
  EXPECT_EQ(column.type, GPZ_FLOAT32);
  EXPECT_NEAR(column.bound, 2e-3, 1e-5);  // 1e-3 of -1 to 1
  EXPECT_LE(column.largest_error, column.bound);
  EXPECT_EQ(gpz_reader_column(reader, 0, 6, &column), GPZ_NOT_FOUND);

  std::vector<double> y(n), v(n);
  std::vector<std::int64_t> id(n), type(n);
  ASSERT_EQ(gpz_reader_read_double(reader, 0, "y", y.data(), n), GPZ_OK);
  ASSERT_EQ(gpz_reader_read_double(reader, 0, "v", v.data(), n), GPZ_OK);
  ASSERT_EQ(gpz_reader_read_int64(reader, 0, "id", id.data(), n), GPZ_OK);
  ASSERT_EQ(gpz_reader_read_int64(reader, 0, "type", type.data(), n), GPZ_OK);
  std::vector<bool> seen(n, false);
  for (std::size_t i = 0; i < n; ++i) {
    const auto from = static_cast<std::size_t>(id[i] - (std::int64_t{1} << 40));
    ASSERT_LT(from, static_cast<std::size_t>(n));
    EXPECT_FALSE(seen[from]);
    seen[from] = true;
    EXPECT_LE(std::abs(y[i] - cloud.y[from]), 0.01);
    EXPECT_LE(std::abs(v[i] - static_cast<double>(cloud.v[from])), column.bound);
    EXPECT_EQ(type[i], cloud.type[from]);
  }
  EXPECT_EQ(gpz_reader_read_double(reader, 0, "y", y.data(), n - 1), GPZ_LIMIT_EXCEEDED);
  EXPECT_EQ(gpz_reader_read_double(reader, 0, "id", y.data(), n), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_reader_read_int64(reader, 0, "y", id.data(), n), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_reader_read_double(reader, 0, "w", y.data(), n), GPZ_NOT_FOUND);
  EXPECT_NE(std::strstr(gpz_last_error(), "no column w"), nullptr) << gpz_last_error();
  EXPECT_EQ(gpz_reader_read_double(reader, 1, "y", y.data(), n), GPZ_NOT_FOUND);
  gpz_reader_close(reader);

  // The image is a .gpz file, and the other layout gives the same one.
  EXPECT_EQ(
      read_all(Bytes(static_cast<std::uint8_t *>(image.bytes), static_cast<std::uint8_t *>(image.bytes) + image.size))
          .size(),
      1u);
  gpz_field separate = gpz_columns3("x y z", GPZ_FLOAT64, cloud.x.data(), cloud.y.data(), cloud.z.data());
  separate.bound_kind = GPZ_ABSOLUTE;
  separate.bound = 0.01;
  fields[0] = separate;
  Image other;
  ASSERT_EQ(gpz_compress(&frame, fields, 4, 2, &other.bytes, &other.size), GPZ_OK);
  ASSERT_EQ(other.size, image.size);
  EXPECT_EQ(std::memcmp(other.bytes, image.bytes, image.size), 0);
}

TEST(CApi, ChunksAreThoseOfTheCodec) {
  const int n = 3000;
  const Cloud cloud(n);
  gpz_field field = gpz_interleaved("x y z", GPZ_FLOAT64, cloud.xyz.data());
  field.bound_kind = GPZ_ABSOLUTE;
  field.bound = 0.01;
  const gpz_frame frame = gpz_new_frame(n, 42);
  Image image;
  gpz_writer *writer = nullptr;
  ASSERT_EQ(gpz_writer_open_memory(nullptr, 1, &writer), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(gpz_writer_set_order(writer, GPZ_ORDER_PLACE), GPZ_OK);
  EXPECT_EQ(gpz_writer_write(writer, &frame, &field, 1), GPZ_OK) << gpz_last_error();
  ASSERT_EQ(gpz_writer_close_memory(writer, &image.bytes, &image.size), GPZ_OK);
  gpz_reader *reader = nullptr;
  ASSERT_EQ(gpz_reader_open_memory(image.bytes, image.size, 1, &reader), GPZ_OK);
  size_t count = 0;
  uint64_t particles = 0;
  size_t size = 0;
  ASSERT_EQ(gpz_reader_chunk_count(reader, 0, &count), GPZ_OK);
  EXPECT_EQ(count, 1u);
  ASSERT_EQ(gpz_reader_chunk(reader, 0, 0, &particles, &size), GPZ_OK);
  EXPECT_EQ(particles, static_cast<uint64_t>(n));
  std::vector<std::uint8_t> bytes(size);
  ASSERT_EQ(gpz_reader_read_chunk(reader, 0, 0, bytes.data(), bytes.size()), GPZ_OK);

  // The codec makes the same chunk of the same particles.
  FieldInput input;
  input.field.leading = true;
  input.field.bound = 0.01;
  for (int d = 0; d < 3; ++d) {
    input.field.components.push_back({std::string(1, "xyz"[d]), static_cast<std::uint16_t>(d)});
    input.components[d] = {cloud.xyz.empty() ? nullptr : cloud.xyz.data() + d, 24, ConstArray::Type::float64};
  }
  EncodedChunk expected;
  ChunkEncoder().encode({input}, n, nullptr, expected);
  EXPECT_EQ(bytes, expected.bytes);

  EXPECT_EQ(gpz_reader_read_chunk(reader, 0, 0, bytes.data(), size - 1), GPZ_LIMIT_EXCEEDED);
  EXPECT_EQ(gpz_reader_read_chunk(reader, 0, 1, bytes.data(), size), GPZ_NOT_FOUND);
  EXPECT_EQ(gpz_reader_chunk(reader, 0, 1, &particles, &size), GPZ_NOT_FOUND);
  EXPECT_EQ(gpz_reader_chunk_count(reader, 1, &count), GPZ_NOT_FOUND);
  EXPECT_EQ(gpz_reader_read_chunk(reader, 0, 0, nullptr, 1), GPZ_INVALID_ARGUMENT);
  gpz_reader_close(reader);
}

TEST(CApi, FilesAppendAndMetadata) {
  const TemporaryFile file;
  const Cloud cloud(100);
  const gpz_field field = gpz_column("id", GPZ_INT64, cloud.id.data());
  const char *elements[] = {"C", "H"};
  gpz_metadata metadata = gpz_new_metadata();
  metadata.units = "metal";
  metadata.elements = elements;
  metadata.element_count = 2;
  for (int f = 0; f < 2; ++f) {
    gpz_writer *writer = nullptr;
    ASSERT_EQ(gpz_writer_open(file.path().c_str(), f == 0 ? GPZ_CREATE : GPZ_APPEND, &metadata, 1, &writer), GPZ_OK);
    EXPECT_EQ(gpz_writer_frames(writer), static_cast<std::size_t>(f));
    const gpz_frame frame = gpz_new_frame(100, f);
    ASSERT_EQ(gpz_writer_write(writer, &frame, &field, 1), GPZ_OK) << gpz_last_error();
    EXPECT_EQ(gpz_writer_sync(writer), GPZ_OK);
    EXPECT_EQ(gpz_writer_close(writer), GPZ_OK);
  }
  gpz_reader *reader = nullptr;
  ASSERT_EQ(gpz_reader_open(file.path().c_str(), 1, &reader), GPZ_OK);
  EXPECT_EQ(gpz_reader_frames(reader), 2u);
  gpz_metadata read = gpz_new_metadata();
  ASSERT_EQ(gpz_reader_metadata(reader, &read), GPZ_OK);
  EXPECT_STREQ(read.units, "metal");
  ASSERT_EQ(read.element_count, 2u);
  EXPECT_STREQ(read.elements[1], "H");
  std::vector<std::int64_t> id(100);
  for (std::size_t f : {1, 0, 1}) {
    gpz_frame frame = gpz_new_frame(0, 0);
    ASSERT_EQ(gpz_reader_frame(reader, f, &frame), GPZ_OK);
    EXPECT_EQ(frame.timestep, static_cast<std::int64_t>(f));
    std::fill(id.begin(), id.end(), 0);
    ASSERT_EQ(gpz_reader_read_int64(reader, f, "id", id.data(), 100), GPZ_OK);
    EXPECT_EQ(id, cloud.id);
  }
  gpz_reader_close(reader);
}

// The kind of the first chunk of a frame.
gpz_chunk_kind kind_of_chunk(const gpz_reader *reader, std::size_t frame) {
  std::uint64_t particles = 0;
  std::size_t size = 0;
  EXPECT_EQ(gpz_reader_chunk(reader, frame, 0, &particles, &size), GPZ_OK) << gpz_last_error();
  Bytes bytes(size);
  EXPECT_EQ(gpz_reader_read_chunk(reader, frame, 0, bytes.data(), size), GPZ_OK) << gpz_last_error();
  gpz_chunk_kind kind = GPZ_CHUNK_BLOCK;
  EXPECT_EQ(gpz_chunk_kind_of(bytes.data(), size, &kind), GPZ_OK) << gpz_last_error();
  gpz_chunk_kind from_head = GPZ_CHUNK_BLOCK;
  EXPECT_EQ(gpz_reader_chunk_kind(reader, frame, 0, &from_head), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(from_head, kind);
  EXPECT_EQ(gpz_reader_chunk_kind(reader, frame, 1, &from_head), GPZ_NOT_FOUND);
  return kind;
}

// The required features of an image of two frames.
std::uint32_t features_of_effort(gpz_effort effort, gpz_order order) {
  Cloud cloud(300);
  gpz_writer *writer = nullptr;
  EXPECT_EQ(gpz_writer_open_memory(nullptr, 1, &writer), GPZ_OK);
  EXPECT_EQ(gpz_writer_set_effort(writer, effort), GPZ_OK);
  EXPECT_EQ(gpz_writer_set_order(writer, order), GPZ_OK);
  for (int f = 0; f < 2; ++f) {
    const gpz_field fields[] = {gpz_columns3("x y z", GPZ_FLOAT64, cloud.x.data(), cloud.y.data(), cloud.z.data()),
                                gpz_column("id", GPZ_INT64, cloud.id.data())};
    const gpz_frame frame = gpz_new_frame(300, f);
    EXPECT_EQ(gpz_writer_write(writer, &frame, fields, 2), GPZ_OK) << gpz_last_error();
  }
  void *image = nullptr;
  size_t size = 0;
  EXPECT_EQ(gpz_writer_close_memory(writer, &image, &size), GPZ_OK);
  gpz_reader *reader = nullptr;
  EXPECT_EQ(gpz_reader_open_memory(image, size, 1, &reader), GPZ_OK);
  gpz_metadata metadata = gpz_new_metadata();
  EXPECT_EQ(gpz_reader_metadata(reader, &metadata), GPZ_OK);
  const std::uint32_t features = metadata.features;
  gpz_reader_close(reader);
  gpz_free(image);
  return features;
}

TEST(CApi, EffortsNameTheirFeatures) {
  EXPECT_EQ(features_of_effort(GPZ_EFFORT_FAST, GPZ_ORDER_ID), 0u);
  EXPECT_EQ(features_of_effort(GPZ_EFFORT_STANDARD, GPZ_ORDER_PLACE), 0u);
  EXPECT_EQ(features_of_effort(GPZ_EFFORT_STANDARD, GPZ_ORDER_ID), GPZ_FEATURE_CLASSED_SECTIONS | GPZ_FEATURE_STEPS);
  EXPECT_EQ(features_of_effort(GPZ_EFFORT_DENSE, GPZ_ORDER_PLACE),
            GPZ_FEATURE_MODELLED_SECTIONS | GPZ_FEATURE_CELL_CHUNKS | GPZ_FEATURE_CLASSED_SECTIONS);
  EXPECT_EQ(features_of_effort(GPZ_EFFORT_FAST, GPZ_ORDER_MEMORY), GPZ_FEATURE_SEQUENCE_CHUNKS);
  EXPECT_EQ(gpz_writer_set_effort(nullptr, GPZ_EFFORT_FAST), GPZ_INVALID_ARGUMENT);
}

TEST(CApi, ChoosesTheKeyInterval) {
  gpz_writer *writer = nullptr;
  ASSERT_EQ(gpz_writer_open_memory(nullptr, 1, &writer), GPZ_OK);
  ASSERT_EQ(gpz_writer_set_key_interval(writer, 1), GPZ_OK);
  ASSERT_EQ(gpz_writer_choose_key_interval(writer), GPZ_OK);
  // Difference frames of the same ids are nearly empty.
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 1; i <= 1000; ++i) ids.push_back(i * 2654435761 % 4294967296);
  const gpz_field field = gpz_column("id", GPZ_INT64, ids.data());
  for (int f = 0; f < 101; ++f) {
    const gpz_frame frame = gpz_new_frame(ids.size(), f);
    ASSERT_EQ(gpz_writer_write(writer, &frame, &field, 1), GPZ_OK) << gpz_last_error();
  }
  void *image = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(gpz_writer_close_memory(writer, &image, &size), GPZ_OK);
  const auto *const bytes = static_cast<const std::uint8_t *>(image);
  const Bytes copy(bytes, bytes + size);
  const Reader reader = reader_of(copy);
  std::size_t interval = 1;
  while (reader.info(interval).since_key != 0) ++interval;
  EXPECT_GT(interval, 6u);
  for (std::size_t f = 0; f < 101; ++f) EXPECT_EQ(reader.info(f).since_key, f % interval);
  gpz_free(image);
  EXPECT_EQ(gpz_writer_choose_key_interval(nullptr), GPZ_INVALID_ARGUMENT);
}

TEST(CApi, Trajectories) {
  const TemporaryFile file;
  constexpr double bound = 1e-3;
  Cloud cloud(3000);
  gpz_writer *writer = nullptr;
  ASSERT_EQ(gpz_writer_open(file.path().c_str(), GPZ_CREATE, nullptr, 1, &writer), GPZ_OK);
  EXPECT_EQ(gpz_writer_set_key_interval(writer, 0), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_writer_set_key_interval(writer, 65536), GPZ_INVALID_ARGUMENT);
  ASSERT_EQ(gpz_writer_set_key_interval(writer, 3), GPZ_OK);
  ASSERT_EQ(gpz_writer_set_order(writer, GPZ_ORDER_ID), GPZ_OK);
  std::vector<std::vector<double>> x;
  std::vector<std::vector<std::int64_t>> id;
  for (int f = 0; f < 5; ++f) {
    for (double &value : cloud.x) value += 0.01 * f;
    std::rotate(cloud.x.begin(), cloud.x.begin() + 17, cloud.x.end());
    std::rotate(cloud.y.begin(), cloud.y.begin() + 17, cloud.y.end());
    std::rotate(cloud.z.begin(), cloud.z.begin() + 17, cloud.z.end());
    std::rotate(cloud.id.begin(), cloud.id.begin() + 17, cloud.id.end());
    gpz_field fields[] = {gpz_columns3("x y z", GPZ_FLOAT64, cloud.x.data(), cloud.y.data(), cloud.z.data()),
                          gpz_column("id", GPZ_INT64, cloud.id.data())};
    fields[0].bound_kind = GPZ_ABSOLUTE;
    fields[0].bound = bound;
    const gpz_frame frame = gpz_new_frame(3000, f);
    ASSERT_EQ(gpz_writer_write(writer, &frame, fields, 2), GPZ_OK) << gpz_last_error();
    x.push_back(cloud.x);
    id.push_back(cloud.id);
  }
  ASSERT_EQ(gpz_writer_close(writer), GPZ_OK);

  gpz_reader *reader = nullptr;
  ASSERT_EQ(gpz_reader_open(file.path().c_str(), 1, &reader), GPZ_OK);
  for (const std::size_t f : {4, 0, 1, 2, 3}) {
    SCOPED_TRACE(f);
    gpz_frame frame = gpz_new_frame(0, 0);
    ASSERT_EQ(gpz_reader_frame(reader, f, &frame), GPZ_OK);
    EXPECT_EQ(frame.since_key, f % 3);
    const gpz_chunk_kind kind = kind_of_chunk(reader, f);
    if (f % 3 == 0) {
      EXPECT_NE(kind, GPZ_CHUNK_DIFFERENCE);
    } else {
      EXPECT_EQ(kind, GPZ_CHUNK_DIFFERENCE);
    }
    gpz_column_info info = gpz_new_column_info();
    ASSERT_EQ(gpz_reader_column(reader, f, 0, &info), GPZ_OK);
    EXPECT_EQ(info.bound, bound);
    std::vector<std::int64_t> ids(3000);
    std::vector<double> values(3000);
    ASSERT_EQ(gpz_reader_read_int64(reader, f, "id", ids.data(), 3000), GPZ_OK) << gpz_last_error();
    ASSERT_EQ(gpz_reader_read_double(reader, f, "x", values.data(), 3000), GPZ_OK) << gpz_last_error();
    std::vector<double> by_id(3000);
    const std::int64_t first = *std::min_element(id[f].begin(), id[f].end());
    for (std::size_t i = 0; i < 3000; ++i) by_id[static_cast<std::size_t>(ids[i] - first)] = values[i];
    double largest = 0;
    for (std::size_t i = 0; i < 3000; ++i)
      largest = std::max(largest, std::fabs(by_id[static_cast<std::size_t>(id[f][i] - first)] - x[f][i]));
    // The bound is used: errors of the grid are spread over all of it, a lossless column would have none.
    EXPECT_LE(largest, bound);
    EXPECT_GT(largest, bound / 2);
    EXPECT_LE(largest, info.largest_error);
  }
  gpz_reader_close(reader);
  // Less than half of what lossless positions take.
  EXPECT_LT(file.bytes().size(), 5 * 3000 * 24 / 2);
}

TEST(CApi, FailuresAreStatuses) {
  gpz_reader *reader = reinterpret_cast<gpz_reader *>(8);
  EXPECT_EQ(gpz_reader_open("/nonexistent.gpz", 1, &reader), GPZ_IO_ERROR);
  EXPECT_EQ(reader, nullptr);
  EXPECT_STREQ(gpz_last_error(), "/nonexistent.gpz: cannot open: No such file or directory");
  std::thread([] { EXPECT_STREQ(gpz_last_error(), ""); }).join();
  EXPECT_EQ(gpz_reader_open_memory("text", 4, 1, &reader), GPZ_NOT_GPZ);
  EXPECT_EQ(gpz_reader_open_memory(nullptr, 0, 1, &reader), GPZ_TRUNCATED);
  EXPECT_EQ(gpz_reader_open_memory(nullptr, 1, 1, &reader), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_reader_open(nullptr, 1, &reader), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_reader_open("x", 1, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(gpz_writer_close(nullptr), GPZ_OK);
  gpz_reader_close(nullptr);
  gpz_writer *writer = nullptr;
  EXPECT_EQ(gpz_writer_open("/nonexistent/x.gpz", GPZ_CREATE, nullptr, 1, &writer), GPZ_IO_ERROR);

  const Cloud cloud(10);
  const gpz_frame frame = gpz_new_frame(10, 0);
  Image image;
  const auto compress = [&](const std::function<void(gpz_field &)> &change) {
    gpz_field field = gpz_interleaved("x y z", GPZ_FLOAT64, cloud.xyz.data());
    change(field);
    gpz_free(image.bytes);
    image.bytes = nullptr;
    return gpz_compress(&frame, &field, 1, 1, &image.bytes, &image.size);
  };
  EXPECT_EQ(compress([](gpz_field &) {}), GPZ_OK);
  EXPECT_EQ(compress([](gpz_field &f) { f.names = ""; }), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(compress([](gpz_field &f) { f.names = nullptr; }), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(compress([](gpz_field &f) { f.names = "a b c d"; }), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(compress([](gpz_field &f) { f.data[1] = nullptr; }), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(compress([](gpz_field &f) { f.type = static_cast<gpz_type>(7); }), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(compress([](gpz_field &f) { f.bound_kind = GPZ_ABSOLUTE; }), GPZ_OK);  // 0 is lossless
  for (const double bound : {-1.0, std::nan(""), HUGE_VAL}) {
    for (const gpz_bound_kind kind : {GPZ_ABSOLUTE, GPZ_RELATIVE}) {
      const auto status = compress([&](gpz_field &f) { f.bound_kind = kind, f.bound = bound; });
      EXPECT_EQ(status, GPZ_INVALID_ARGUMENT) << bound;
    }
  }
  EXPECT_EQ(compress([](gpz_field &f) { f.bound = 0.01; }), GPZ_INVALID_ARGUMENT);  // and GPZ_LOSSLESS
  EXPECT_STREQ(gpz_last_error(),
               "field \"x y z\": it has a bound, and bound_kind is GPZ_LOSSLESS or GPZ_AS_STORED: set GPZ_ABSOLUTE or "
               "GPZ_RELATIVE");
  EXPECT_EQ(gpz_compress(nullptr, nullptr, 0, 1, &image.bytes, &image.size), GPZ_INVALID_ARGUMENT);
}

TEST(CApi, NumbersArePinned) {
  const int numbers[] = {GPZ_OK,       GPZ_INVALID_ARGUMENT, GPZ_IO_ERROR,      GPZ_NOT_GPZ,   GPZ_UNSUPPORTED_VERSION,
                         GPZ_CORRUPT,  GPZ_TRUNCATED,        GPZ_OUT_OF_MEMORY, GPZ_NOT_FOUND, GPZ_LIMIT_EXCEEDED,
                         GPZ_INTERNAL, GPZ_UNSUPPORTED};
  for (int i = 0; i <= 11; ++i) EXPECT_EQ(numbers[i], i);
  EXPECT_STREQ(gpz_status_text(GPZ_TRUNCATED), "truncated");
}

}  // namespace
}  // namespace gpz::test::container_c_api_test
