// SPDX-License-Identifier: BSD-3-Clause
// The C interface: columns into any array, in the order of ids, from files, images and streams; what files and frames
// say about themselves; writers to memory and descriptors.
#include "c_api_support.hpp"

namespace gpz::test {
namespace {

constexpr int particles = 700;
constexpr int frames = 5;

// One row of a table that a program has: columns of several types, with others between them.
struct Row {
  float x, y, z;
  std::int32_t untouched;
  std::int64_t id;
  std::int32_t type;
  double v;
};

std::vector<gpz_output> outputs_of(std::vector<Row> &rows) {
  gpz_output xyz = gpz_into_columns3("x y z", GPZ_FLOAT32, &rows[0].x, &rows[0].y, &rows[0].z);
  gpz_output id = gpz_into_column("id", GPZ_INT64, &rows[0].id);
  gpz_output type = gpz_into_column("type", GPZ_INT32, &rows[0].type);
  gpz_output v = gpz_into_column("v", GPZ_FLOAT64, &rows[0].v);
  std::vector<gpz_output> outputs = {v, xyz, id, type};
  for (gpz_output &output : outputs) output.stride = sizeof(Row);
  return outputs;
}

std::vector<Row> empty_table() { return std::vector<Row>(particles, Row{0, 0, 0, -7, 0, 0, 0}); }

void expect_rows(const std::vector<Row> &rows, const Motion &motion, std::size_t f, bool sorted) {
  const auto &truth = motion.frames[f];
  std::map<std::int64_t, int> seen;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row &row = rows[i];
    ASSERT_EQ(truth.count(row.id), 1u) << i;
    ++seen[row.id];
    if (sorted && i > 0) {
      ASSERT_LT(rows[i - 1].id, row.id) << i;
    }
    const Motion::Particle &particle = truth.at(row.id);
    const float x[3] = {row.x, row.y, row.z};
    // The bound, and the rounding to float of values below 64.
    for (std::size_t d = 0; d < 3; ++d)
      ASSERT_LE(std::fabs(static_cast<double>(x[d]) - particle.x[d]), Motion::bound + 64 * 0x1p-24) << i;
    ASSERT_EQ(row.type, particle.type);
    ASSERT_EQ(row.v, static_cast<double>(particle.v));
    ASSERT_EQ(row.untouched, -7);
  }
  EXPECT_EQ(seen.size(), rows.size());
}

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

// Refused alike by readers and streams.
void expect_refusals(const std::function<gpz_status(const gpz_output *, std::size_t, std::size_t, unsigned)> &read) {
  std::vector<double> doubles(3 * particles);
  std::vector<std::int64_t> integers(particles);
  const gpz_output positions = gpz_into_interleaved("x y z", GPZ_FLOAT64, doubles.data());
  const gpz_output id = gpz_into_column("id", GPZ_INT64, integers.data());
  const auto one = [&](gpz_output output) { return read(&output, 1, particles, 0); };
  EXPECT_EQ(one(positions), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(read(&positions, 1, particles - 1, 0), GPZ_LIMIT_EXCEEDED);
  EXPECT_EQ(read(&positions, 1, particles, 2), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(read(nullptr, 1, particles, 0), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(one(gpz_into_column("w", GPZ_FLOAT64, doubles.data())), GPZ_NOT_FOUND);
  EXPECT_NE(std::strstr(gpz_last_error(), "no column w"), nullptr) << gpz_last_error();
  EXPECT_EQ(one(gpz_into_column("x", GPZ_INT64, integers.data())), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(one(gpz_into_column("id", GPZ_FLOAT64, doubles.data())), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(one(gpz_into_column("id", GPZ_INT64, nullptr)), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(one(gpz_into_column("", GPZ_INT64, integers.data())), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(one(gpz_into_column("x y z id", GPZ_FLOAT64, doubles.data())), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(one(gpz_into_column("id", static_cast<gpz_type>(0), integers.data())), GPZ_INVALID_ARGUMENT);
  const gpz_output twice[2] = {id, id};
  EXPECT_EQ(read(twice, 2, particles, 0), GPZ_INVALID_ARGUMENT);
  gpz_output output = id;
  output.stride = 0;
  EXPECT_EQ(one(output), GPZ_INVALID_ARGUMENT);
  output = id;
  output.reserved = 1;
  EXPECT_EQ(one(output), GPZ_INVALID_ARGUMENT);
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

gpz_metadata full_metadata() {
  static const char *const columns[] = {"x", "y", "z", "id", "type", "v"};
  static const char *const elements[] = {"C", "H", "O"};
  static const char *const labels[] = {"c3", "hc"};
  gpz_metadata metadata = gpz_new_metadata();
  metadata.generator = "test 1";
  metadata.units = "real";
  metadata.atom_style = "full";
  metadata.command = "dump 1 all gpz 100 x.gpz";
  metadata.columns = columns;
  metadata.column_count = 6;
  metadata.elements = elements;
  metadata.element_count = 3;
  metadata.type_labels = labels;
  metadata.type_label_count = 2;
  metadata.timestep_size = 0.25;
  metadata.features = GPZ_FEATURE_MODELLED_SECTIONS | GPZ_FEATURE_CELL_CHUNKS | GPZ_FEATURE_CLASSED_SECTIONS;
  return metadata;
}

void expect_full(const gpz_metadata &metadata) {
  const gpz_metadata expected = full_metadata();
  EXPECT_STREQ(metadata.generator, expected.generator);
  EXPECT_STREQ(metadata.units, expected.units);
  EXPECT_STREQ(metadata.atom_style, expected.atom_style);
  EXPECT_STREQ(metadata.command, expected.command);
  EXPECT_EQ(metadata.timestep_size, expected.timestep_size);
  EXPECT_EQ(metadata.features, expected.features);
  const auto expect_list = [](const char *const *list, std::size_t count, const char *const *wanted, std::size_t size) {
    ASSERT_EQ(count, size);
    for (std::size_t i = 0; i < size; ++i) EXPECT_STREQ(list[i], wanted[i]);
  };
  expect_list(metadata.columns, metadata.column_count, expected.columns, expected.column_count);
  expect_list(metadata.elements, metadata.element_count, expected.elements, expected.element_count);
  expect_list(metadata.type_labels, metadata.type_label_count, expected.type_labels, expected.type_label_count);
}

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
  // What a reader says is what a writer takes.
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
}  // namespace gpz::test
