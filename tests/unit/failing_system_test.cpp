// SPDX-License-Identifier: BSD-3-Clause
// The state of a file when the system refuses a write, or interrupts it.
#include <cerrno>

#include "container_support.hpp"
#include "gpz/api/record_writer.hpp"

namespace gpz::test::failing_system_test {
namespace {

using api::RecordWriter;

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
}  // namespace gpz::test::failing_system_test
