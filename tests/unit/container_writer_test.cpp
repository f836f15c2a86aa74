// SPDX-License-Identifier: BSD-3-Clause
// Creating, appending, and the state of the file when the system refuses a write.
#include <cerrno>
#include <cstdlib>

#include "container_support.hpp"
#include "gpz/api/record_writer.hpp"

namespace gpz::test {
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

// A system where operation number `failing` fails; with `for_good` every operation of its kind from then on.
class FailingSystem : public api::System {
 public:
  int failing = -1;
  bool for_good = false;
  bool on_interrupt = false;  // every other call is interrupted by a signal, and transfers are short
  std::size_t capacity = ~std::size_t{0};
  int operations = 0;
  std::string failed;

  int open(const char *path, int flags, mode_t mode) override {
    return fails("open") ? -1 : System::open(path, flags, mode);
  }
  int fstat(int descriptor, struct stat *facts) override {
    return fails("fstat") ? -1 : System::fstat(descriptor, facts);
  }
  ssize_t pread(int descriptor, void *data, std::size_t size, off_t position) override {
    if (fails("pread")) return -1;
    return System::pread(descriptor, data, on_interrupt ? std::min<std::size_t>(size, 5) : size, position);
  }
  ssize_t writev(int descriptor, const struct iovec *pieces, int count) override {
    if (fails("writev")) return -1;
    struct iovec piece = pieces[0];
    if (on_interrupt) {
      piece.iov_len = std::min<std::size_t>(piece.iov_len, 7);
      count = 1;
    }
    if (capacity != ~std::size_t{0}) {
      const auto size = static_cast<std::size_t>(::lseek(descriptor, 0, SEEK_CUR));
      if (size >= capacity) {
        errno = ENOSPC;
        return -1;
      }
      piece.iov_len = std::min(piece.iov_len, capacity - size);
      count = 1;
    }
    return count == 1 ? System::writev(descriptor, &piece, 1) : System::writev(descriptor, pieces, count);
  }
  ssize_t pwrite(int descriptor, const void *data, std::size_t size, off_t position) override {
    if (fails("pwrite")) return -1;
    return System::pwrite(descriptor, data, on_interrupt ? std::min<std::size_t>(size, 5) : size, position);
  }
  int ftruncate(int descriptor, off_t size) override {
    return fails("ftruncate") ? -1 : System::ftruncate(descriptor, size);
  }
  off_t lseek(int descriptor, off_t position) override {
    return fails("lseek") ? -1 : System::lseek(descriptor, position);
  }
  int fsync(int descriptor) override { return fails("fsync") ? -1 : System::fsync(descriptor); }
  int close(int descriptor) override {
    const int result = System::close(descriptor);
    return fails("close") ? -1 : result;
  }

 private:
  bool fails(const std::string &kind) {
    const int number = operations++;
    if (on_interrupt && kind != "fstat" && kind != "lseek" && number % 2 == 0) {
      errno = EINTR;
      return true;
    }
    if (failing < 0 || number < failing || (number > failing && !(for_good && kind == failed))) return false;
    failed = kind;
    errno = EIO;
    return true;
  }
};

// Frame f as records of three hand-made chunks, which no test here decodes.
void write_frame(RecordWriter &writer, int f) {
  const std::vector<Bytes> bodies = {Bytes(16, 1), Bytes(), Bytes(static_cast<std::size_t>(8 * (f + 1)), 3)};
  FrameInfo info;
  info.timestep = f;
  std::vector<ChunkEntry> chunks;
  std::vector<Span> spans;
  for (const Bytes &body : bodies) {
    chunks.push_back({1, body.size(), format::xxh3(body.data(), body.size())});
    spans.push_back({body.data(), body.size()});
    ++info.particles;
  }
  writer.write(info, chunks, spans);
}

// Writes three frames to a new file, or to one that has the first already and an index; returns the timesteps of the
// frames that were accepted. After a failure it goes on with the next frame.
std::vector<std::int64_t> run(const std::string &path, bool append, api::System &system, std::vector<Error> &errors) {
  const auto attempt = [&](const std::function<void()> &call) {
    try {
      call();
      return true;
    } catch (const Error &error) {
      errors.push_back(error);
      return false;
    }
  };
  std::vector<std::int64_t> accepted;
  if (append) accepted.push_back(0);
  attempt([&] {
    RecordWriter writer = api::write_file(path, {}, append, system);
    for (int f = append ? 1 : 0; f < 3; ++f) {
      const auto write = [&] {
        if (f == 0) writer.add_features(feature::modelled_sections);
        write_frame(writer, f);
      };
      if (attempt(write)) accepted.push_back(f);
    }
    EXPECT_EQ(writer.frames().size(), accepted.size());
    attempt([&] { writer.sync(); });
    attempt([&] { writer.close(); });
  });
  return accepted;
}

std::vector<std::int64_t> timesteps(const FileScan &found) {
  std::vector<std::int64_t> steps;
  for (const IndexEntry &frame : found.frames) steps.push_back(frame.timestep);
  return steps;
}

Bytes start_file() {
  const TemporaryFile file;
  RecordWriter writer = api::write_file(file.path(), {}, false);
  write_frame(writer, 0);
  writer.close();
  return file.bytes();
}

TEST(FailingSystem, AnyOperationThatFailsIsReportedAndLosesNothingElse) {
  const Bytes first = start_file();
  for (const bool append : {false, true}) {
    for (const bool for_good : {false, true}) {
      int failing = 0;
      for (bool reached = true; reached; ++failing) {
        const TemporaryFile file;
        if (append) file.set(first);
        FailingSystem system;
        system.failing = failing;
        system.for_good = for_good;
        std::vector<Error> errors;
        const std::vector<std::int64_t> accepted = run(file.path(), append, system, errors);
        SCOPED_TRACE(testing::Message() << "operation " << failing << " " << system.failed << " append " << append
                                        << " for good " << for_good);
        reached = !system.failed.empty();
        EXPECT_EQ(errors.empty(), !reached);
        for (const Error &error : errors) {
          EXPECT_EQ(error.status(), Status::io_error);
          EXPECT_EQ(error.system_error(), EIO);
          EXPECT_EQ(error.file(), file.path());
        }
        if (file.bytes().empty()) continue;  // failed to open, or to write the file header
        const FileScan found = scan_file(file.path());
        EXPECT_EQ(timesteps(found), accepted);
        EXPECT_FALSE(found.torn || found.damaged);
        EXPECT_TRUE(found.has_index || reached);
      }
      EXPECT_GT(failing, 7);
    }
  }
}

// The disk is full after `capacity` bytes, for every capacity: only whole frames stay.
TEST(FailingSystem, FullDisk) {
  const TemporaryFile whole_file;
  std::vector<Error> none;
  run(whole_file.path(), false, api::System::posix(), none);
  ASSERT_TRUE(none.empty());
  const Bytes whole = whole_file.bytes();
  for (std::size_t capacity = 0; capacity < whole.size(); ++capacity) {
    SCOPED_TRACE(capacity);
    const TemporaryFile file;
    FailingSystem system;
    system.capacity = capacity;
    std::vector<Error> errors;
    const std::vector<std::int64_t> accepted = run(file.path(), false, system, errors);
    ASSERT_FALSE(errors.empty());
    EXPECT_EQ(errors[0].system_error(), ENOSPC);
    EXPECT_EQ(errors[0].position(), capacity);
    if (file.bytes().empty()) continue;
    const FileScan found = scan_file(file.path());
    EXPECT_EQ(timesteps(found), accepted);
    EXPECT_FALSE(found.torn || found.damaged);
  }
}

// If even cutting back fails, the next write tries again before it writes.
TEST(FailingSystem, CutsBackLater) {
  class System : public FailingSystem {
   public:
    int refuse = 0;
    int ftruncate(int descriptor, off_t size) override {
      if (refuse > 0) {
        --refuse;
        errno = EIO;
        return -1;
      }
      return FailingSystem::ftruncate(descriptor, size);
    }
  } system;
  const TemporaryFile file;
  RecordWriter writer = api::write_file(file.path(), {}, false, system);
  write_frame(writer, 0);
  system.capacity = static_cast<std::size_t>(writer.size()) + 100;
  system.refuse = 2;
  EXPECT_EQ(status_of([&] { write_frame(writer, 1); }), Status::io_error);
  EXPECT_TRUE(scan_file(file.path()).torn);
  EXPECT_EQ(status_of([&] { write_frame(writer, 1); }), Status::io_error);  // cannot cut
  system.capacity = ~std::size_t{0};
  write_frame(writer, 1);
  writer.close();
  EXPECT_EQ(timesteps(scan_file(file.path(), false)), (std::vector<std::int64_t>{0, 1}));
  EXPECT_FALSE(scan_file(file.path(), false).damaged);
}

TEST(FailingSystem, InterruptedAndShortCallsChangeNothing) {
  std::vector<Error> errors;
  const TemporaryFile plain;
  run(plain.path(), false, api::System::posix(), errors);
  const TemporaryFile file;
  FailingSystem system;
  system.on_interrupt = true;
  run(file.path(), false, system, errors);
  EXPECT_EQ(file.bytes(), plain.bytes());
  file.set(start_file());
  const TemporaryFile continued;
  continued.set(start_file());
  run(continued.path(), true, api::System::posix(), errors);
  run(file.path(), true, system, errors);
  EXPECT_EQ(file.bytes(), continued.bytes());
  EXPECT_TRUE(errors.empty());
}

TEST(FailingSystem, ManyPiecesAreWrittenInOrder) {
  const TemporaryFile file;
  FailingSystem system;
  Bytes bytes(3000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  std::vector<Span> pieces;
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    pieces.push_back({bytes.data() + i, 2});
    pieces.push_back({nullptr, 0});
  }
  api::File out(file.path(), api::File::Mode::create, system);
  out.write(pieces);
  out.close();
  EXPECT_EQ(file.bytes(), bytes);
}

TEST(FullDevice, IsAnErrorWithItsName) {
  try {
    const Writer writer("/dev/full", {});
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.system_error(), ENOSPC);
    EXPECT_STREQ(error.what(), "/dev/full: byte 0: cannot write: No space left on device");
  }
  EXPECT_EQ(status_of([] { Writer("/nonexistent/file.gpz", {}); }), Status::io_error);
}

}  // namespace
}  // namespace gpz::test
