// SPDX-License-Identifier: BSD-3-Clause
// Creating files and appending to them.
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "container_support.hpp"
#include "gpz/api/record_writer.hpp"

namespace gpz::test::container_writer_test {
namespace {

using api::RecordWriter;

void write_frames(Writer &writer, int from, int to) {
  for (int f = from; f < to; ++f) {
    const Particles particles(f);
    writer.write(particles.info, particles.fields);
  }
}

TEST(Writer, CountsFramesAndBytes) {
  const TemporaryFile file;
  Writer writer(file.path(), small_metadata());
  set_plain(writer);
  EXPECT_EQ(writer.size(), file_header(small_metadata()).size());
  write_frames(writer, 0, 2);
  EXPECT_EQ(writer.size(), file.bytes().size());  // accepted by the system without close or sync
  ASSERT_EQ(writer.frames().size(), 2u);
  EXPECT_EQ(writer.frames()[1].timestep, 100);
  EXPECT_EQ(writer.frames()[1].particles, 6u);
  EXPECT_EQ(writer.frames()[1].offset + writer.frames()[1].length, writer.size());
  writer.sync();
  writer.close();
  EXPECT_EQ(writer.size(), file.bytes().size());
  EXPECT_TRUE(scan_file(file.path()).has_index);
}

TEST(Writer, KeepsValuesWithinTheBoundAndOtherColumnsExact) {
  const Frame frame = read_all(small_file(2))[1];
  const Particles original(1);
  const auto &ids = frame.find("id")->integers;
  ASSERT_EQ(ids.size(), original.id.size());
  double largest = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto from =
        static_cast<std::size_t>(std::find(original.id.begin(), original.id.end(), ids[i]) - original.id.begin());
    ASSERT_LT(from, original.id.size());
    const char *names[] = {"x", "y", "z"};
    for (std::size_t d = 0; d < 3; ++d) {
      largest = std::max(largest, std::abs(frame.find(names[d])->floats[i] - original.x[3 * from + d]));
    }
    EXPECT_EQ(frame.find("q")->floats[i], static_cast<double>(original.q[from]));
  }
  EXPECT_LE(largest, 0.001);
  EXPECT_EQ(frame.info.fields[0].largest_error, largest);
}

// A frame of two chunks, as two processes would write it.
std::vector<EncodedChunk> write_two_chunks(const std::string &path) {
  const Particles a(0);
  const Particles b(1);
  ChunkEncoder encoder;
  std::vector<EncodedChunk> chunks(2);
  encoder.encode(a.fields, a.info.particles, nullptr, chunks[0]);
  encoder.encode(b.fields, b.info.particles, nullptr, chunks[1]);
  FrameInfo info = a.info;
  info.particles = a.info.particles + b.info.particles;
  for (const FieldInput &input : a.fields) info.fields.push_back(input.field);
  Writer writer(path, {});
  set_plain(writer);
  writer.write(info, chunks);
  writer.close();
  return chunks;
}

TEST(Writer, TakesReadyChunks) {
  const TemporaryFile file;
  const std::vector<EncodedChunk> chunks = write_two_chunks(file.path());
  const Frame frame = Reader(file.path()).read(0);
  EXPECT_EQ(frame.find("id")->integers.size(), 11u);
  EXPECT_EQ(frame.info.fields[0].largest_error, std::max(chunks[0].largest_error[0], chunks[1].largest_error[0]));
  EXPECT_GT(frame.info.fields[0].step, 0);
}

TEST(Writer, TakesChunksInMemoryOfOthers) {
  const TemporaryFile file;
  const std::vector<EncodedChunk> chunks = write_two_chunks(file.path());
  const Bytes expected = file.bytes();
  std::vector<ChunkView> views;
  std::vector<std::vector<std::uint8_t>> copies;
  for (const EncodedChunk &chunk : chunks) {
    EXPECT_EQ(chunk_checksum(chunk.bytes.data(), chunk.bytes.size()), chunk.checksum);
    copies.push_back(chunk.bytes);
    ChunkView view = view_of(chunk);
    EXPECT_EQ(view.data, chunk.bytes.data());
    view.data = copies.back().data();
    views.push_back(view);
  }
  FrameInfo info = Reader(file.path()).info(0);
  for (Field &field : info.fields) field.step = field.largest_error = 0;
  {
    Writer writer(file.path(), {});
    set_plain(writer);
    writer.write(info, views);
    writer.close();
  }
  EXPECT_EQ(file.bytes(), expected);

  info.particles = views[0].particles;
  {
    Writer writer(file.path(), {});
    set_plain(writer);
    writer.write(info, {views[0]});
  }
  EXPECT_EQ(Reader(file.path()).chunk(0, 0), chunks[0].bytes);

  // As a view comes that nobody gave its checksum.
  views[0].checksum = 0;
  {
    Writer writer(file.path(), {});
    set_plain(writer);
    writer.write(info, {views[0]});
  }
  EXPECT_EQ(status_of([&] { Reader(file.path()).chunk(0, 0); }), Status::corrupt);
}

TEST(FillStep, IsWhatTheEncoderTakes) {
  const auto filled = [](double bound, double step, ValueType type) {
    Field field;
    field.type = type;
    field.bound = bound;
    field.step = step;
    fill_step(field);
    return field.step;
  };
  EXPECT_EQ(filled(0, 0, ValueType::float64), 0);
  EXPECT_EQ(filled(0, 0.5, ValueType::float64), 0);
  EXPECT_EQ(filled(0.001, 0.0015, ValueType::float64), 0.0015);
  for (const ValueType type : {ValueType::float32, ValueType::float64})
    EXPECT_EQ(filled(0.001, 0, type), grid_step(0.001, type));
  for (const double bound : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_EQ(status_of([&] { filled(bound, 0, ValueType::float64); }), Status::invalid_argument);
}

TEST(StepBeside, LeavesTheBoundToWhatIsBetween) {
  for (const ValueType type : {ValueType::float32, ValueType::float64}) {
    const double step = step_beside(0.003, 0.001, 100, type);
    EXPECT_GT(step / 2, 0.0019);
    EXPECT_LE(0.001 + step / 2 + std::ldexp(4.0, 7 - (type == ValueType::float32 ? 24 : 53)), 0.003);
    EXPECT_EQ(step_beside(0.001, 0.001, 100, type), 0);
    EXPECT_EQ(step_beside(0.001, 0.002, 100, type), 0);
    EXPECT_EQ(step_beside(0, 0.002, 100, type), 0);
  }
  // Four units in the last place of 128.
  EXPECT_EQ(step_beside(0.00102, 0.001, 100, ValueType::float32), 0);
  EXPECT_GT(step_beside(0.00102, 0.001, 0.1, ValueType::float32), 0);
}

TEST(ErrorBeside, IsNoLessThanTheSum) {
  EXPECT_EQ(error_beside(1, 0, 0.25), 0.25);
  EXPECT_EQ(error_beside(1, 0.25, 0), 0.25);
  EXPECT_GT(error_beside(1, 0.25, 0.5), 0.75);
  EXPECT_LT(error_beside(1, 0.25, 0.5), 0.7500001);
  EXPECT_EQ(error_beside(0.7, 0.25, 0.5), 0.7);
}

TEST(Reader, GivesChunksAsTheyAre) {
  const TemporaryFile file;
  const std::vector<EncodedChunk> chunks = write_two_chunks(file.path());
  EXPECT_EQ(Reader(file.path()).chunk(0, 0), chunks[0].bytes);
  EXPECT_EQ(Reader(file.path()).chunk(0, 1), chunks[1].bytes);
  EXPECT_EQ(status_of([&] { Reader(file.path()).chunk(0, 2); }), Status::not_found);
  EXPECT_EQ(status_of([&] { Reader(file.path()).chunk(1, 0); }), Status::not_found);

  Bytes bytes = file.bytes();
  const auto second = std::search(bytes.begin(), bytes.end(), chunks[1].bytes.begin(), chunks[1].bytes.end());
  ASSERT_NE(second, bytes.end());
  *second ^= 1;
  file.set(bytes);
  EXPECT_EQ(Reader(file.path()).chunk(0, 0), chunks[0].bytes);
  EXPECT_EQ(status_of([&] { Reader(file.path()).chunk(0, 1); }), Status::corrupt);
}

TEST(Writer, RefusesABadFrameAndGoesOn) {
  const TemporaryFile file;
  Writer writer(file.path(), small_metadata());
  set_plain(writer);
  write_frames(writer, 0, 1);
  const Bytes before = file.bytes();
  Particles bad(1);
  bad.fields[0].field.bound = -1;
  EXPECT_EQ(status_of([&] { writer.write(bad.info, bad.fields); }), Status::invalid_argument);
  EXPECT_EQ(file.bytes(), before);
  write_frames(writer, 1, 3);
  writer.close();
  EXPECT_EQ(file.bytes(), small_file(3));
}

TEST(Append, GivesTheBytesOfOneRun) {
  const TemporaryFile file;
  Writer(file.path(), small_metadata(), Writer::Mode::append).close();  // missing
  for (int f = 0; f < 3; ++f) {
    Writer writer(file.path(), {}, Writer::Mode::append);
    set_plain(writer);
    EXPECT_EQ(writer.frames().size(), static_cast<std::size_t>(f));
    EXPECT_TRUE(scan_file(file.path()).has_index);  // until a frame takes its place
    write_frames(writer, f, f + 1);
    writer.close();
  }
  EXPECT_EQ(file.bytes(), small_file(3));
  file.set({});
  {
    Writer writer(file.path(), small_metadata(), Writer::Mode::append);  // empty
    set_plain(writer);
    write_frames(writer, 0, 3);
    writer.close();
  }
  EXPECT_EQ(file.bytes(), small_file(3));
}

TEST(Append, CutsATearAtAnyLength) {
  const TemporaryFile file;
  const Bytes whole = small_file(2);
  const std::size_t header = file_header(small_metadata()).size();
  for (std::size_t size = header; size <= whole.size(); ++size) {
    file.set(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    Writer writer(file.path(), {}, Writer::Mode::append);
    set_plain(writer);
    write_frames(writer, static_cast<int>(writer.frames().size()), 2);
    writer.close();
    ASSERT_EQ(file.bytes(), whole) << size;
  }
}

TEST(Append, LeavesForeignFilesAlone) {
  const TemporaryFile file;
  const std::string text = "ITEM: TIMESTEP\n";
  file.set(Bytes(text.begin(), text.end()));
  EXPECT_EQ(status_of([&] { Writer(file.path(), {}, Writer::Mode::append); }), Status::not_gpz);
  EXPECT_EQ(file.bytes(), Bytes(text.begin(), text.end()));
  Bytes newer = small_file(1);
  newer[8] = 2;
  file.set(newer);
  EXPECT_EQ(status_of([&] { Writer(file.path(), {}, Writer::Mode::append); }), Status::unsupported_version);
  EXPECT_EQ(file.bytes(), newer);
}

TEST(Append, KeepsUnknownOptionalRecords) {
  const TemporaryFile file;
  const Bytes start = joined({small_file(1, false), make_record(0x80000007u, Bytes(8, 1), Bytes(8, 2))});
  file.set(start);
  Writer writer(file.path(), {}, Writer::Mode::append);
  set_plain(writer);
  write_frames(writer, 1, 2);
  writer.close();
  const Bytes bytes = file.bytes();
  ASSERT_GT(bytes.size(), start.size());
  EXPECT_TRUE(std::equal(start.begin(), start.end(), bytes.begin()));
  EXPECT_EQ(read_all(bytes).size(), 2u);
}

}  // namespace
}  // namespace gpz::test::container_writer_test
