// SPDX-License-Identifier: BSD-3-Clause
// Readers over sources of the caller, in C++ and C: the frames are those of the file, also for several threads, and
// errors of the source arrive with its name.
#include <atomic>
#include <cerrno>

#include "c_api_support.hpp"
#include "trajectory_support.hpp"

namespace gpz::test::reader_source_test {
namespace {

// The bytes in memory; fails at reads from `failing` on.
class TestSource final : public Source {
 public:
  explicit TestSource(Bytes bytes, std::size_t failing = ~std::size_t{0})
      : bytes_(std::move(bytes)), failing_(failing) {}
  const std::string &name() const override { return name_; }
  std::uint64_t size() const override { return bytes_.size(); }
  void read_at(std::uint64_t position, void *data, std::size_t size) const override {
    if (reads_++ >= failing_) throw Error(Status::io_error, "the network is down", name_, position, ENETDOWN);
    ASSERT_LE(position, bytes_.size());
    ASSERT_LE(size, bytes_.size() - position);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(position), size, static_cast<std::uint8_t *>(data));
  }

 private:
  Bytes bytes_;
  std::size_t failing_;
  std::string name_ = "store://bucket/traj.gpz";
  mutable std::atomic<std::size_t> reads_{0};
};

TEST(ReaderSources, OfTheCallerHaveTheFramesOfTheFile) {
  const Bytes bytes = small_file(4);
  const std::vector<Frame> frames = read_all(bytes);
  const Reader reader(std::make_unique<TestSource>(bytes));
  ASSERT_EQ(reader.frames(), frames.size());
  constexpr std::size_t readers = 4;
  std::vector<std::thread> threads;
  threads.reserve(readers);
  std::atomic<int> equal{0};
  for (std::size_t k = 0; k < readers; ++k)
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < frames.size(); ++i)
        if (same(reader.read(i), frames[i])) ++equal;
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(equal, 16);
}

TEST(ReaderSources, ErrorsAreThoseOfTheSource) {
  const Bytes bytes = small_file(3);
  bool opened = false;
  for (std::size_t failing = 0;; ++failing) {
    try {
      const Reader reader(std::make_unique<TestSource>(bytes, failing));
      opened = true;
      for (std::size_t i = 0; i < 3; ++i) reader.read(i);
      EXPECT_EQ(failing, 1u);  // a small file is read in one request
      break;
    } catch (const Error &error) {
      ASSERT_EQ(error.status(), Status::io_error);
      EXPECT_EQ(error.file(), "store://bucket/traj.gpz");
      EXPECT_EQ(error.cause(), "the network is down");
      EXPECT_EQ(error.system_error(), ENETDOWN);
    }
  }
  EXPECT_TRUE(opened);
  EXPECT_EQ(status_of([] { Reader(std::unique_ptr<Source>()); }), Status::invalid_argument);
  EXPECT_EQ(status_of([] { Reader(std::make_unique<TestSource>(Bytes())); }), Status::truncated);
}

// An exception that is no error of gpz, such as an interruption of the program that embeds it.
struct Interruption {};

class InterruptedSource final : public Source {
 public:
  InterruptedSource(Bytes bytes, std::size_t interrupted) : source_(std::move(bytes)), interrupted_(interrupted) {}
  const std::string &name() const override { return source_.name(); }
  std::uint64_t size() const override { return source_.size(); }
  void read_at(std::uint64_t position, void *data, std::size_t size) const override {
    if (reads++ == interrupted_) throw Interruption();
    source_.read_at(position, data, size);
  }

  mutable std::atomic<std::size_t> reads{0};

 private:
  TestSource source_;
  std::size_t interrupted_;
};

TEST(ReaderSources, OtherExceptionsPassThroughTheReaderAtOnce) {
  const Bytes bytes = file_of(trajectory(30000, 12), 3);
  std::size_t interrupted = 0;
  for (bool arrives = true; arrives; ++interrupted) {
    const auto source = std::make_shared<InterruptedSource>(bytes, interrupted);
    arrives = false;
    try {
      const Reader reader(source);
      for (const std::size_t i : {0u, 7u, 3u, 11u}) reader.read(i);
    } catch (const Interruption &) {
      arrives = true;
      EXPECT_EQ(source->reads, interrupted + 1);  // not asked for once more
    }
  }
  EXPECT_GT(interrupted, 4u);
}

TEST(ReaderSources, PiecesAreReadOneByOneUnlessTheSourceKnowsBetter) {
  const TestSource source(small_file());
  const Bytes bytes = small_file();
  Bytes a(10), b(3);
  source.read_pieces({{8, a.data(), a.size()}, {40, b.data(), b.size()}});
  EXPECT_TRUE(std::equal(a.begin(), a.end(), bytes.begin() + 8));
  EXPECT_TRUE(std::equal(b.begin(), b.end(), bytes.begin() + 40));
}

// The context of the C functions.
struct Storage {
  Bytes bytes;
  std::size_t reads = 0, requests = 0, closed = 0;
  int failure = 0;  // of every read
};

int read_from(void *context, std::uint64_t position, void *data, std::size_t size) {
  auto &storage = *static_cast<Storage *>(context);
  ++storage.reads;
  if (storage.failure != 0) return storage.failure;
  std::copy_n(storage.bytes.begin() + static_cast<std::ptrdiff_t>(position), size, static_cast<std::uint8_t *>(data));
  return 0;
}

int read_pieces_from(void *context, const gpz_piece *pieces, std::size_t count) {
  ++static_cast<Storage *>(context)->requests;
  for (std::size_t k = 0; k < count; ++k)
    if (const int code = read_from(context, pieces[k].position, pieces[k].data, pieces[k].size)) return code;
  return 0;
}

void close_storage(void *context) { ++static_cast<Storage *>(context)->closed; }

gpz_source source_of(Storage &storage) {
  gpz_source source = gpz_new_source();
  source.context = &storage;
  source.name = "store";
  source.size = storage.bytes.size();
  source.read_at = read_from;
  source.close = close_storage;
  return source;
}

TEST(ReaderSources, OfCFunctions) {
  for (const bool in_pieces : {false, true}) {
    Storage storage;
    storage.bytes = small_file(3);
    gpz_source source = source_of(storage);
    if (in_pieces) source.read_pieces = read_pieces_from;
    gpz_read_options options = gpz_new_read_options();
    options.threads = 2;
    gpz_reader *reader = nullptr;
    ASSERT_EQ(gpz_reader_open_source(&source, in_pieces ? &options : nullptr, &reader), GPZ_OK) << gpz_last_error();
    EXPECT_EQ(gpz_reader_frames(reader), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      std::vector<double> x(5 + i);
      ASSERT_EQ(gpz_reader_read_double(reader, i, "x", x.data(), x.size()), GPZ_OK) << gpz_last_error();
      EXPECT_EQ(x, read_all(storage.bytes)[i].columns[0].floats);
    }
    storage.failure = EACCES;
    EXPECT_EQ(gpz_reader_verify(reader, 0), GPZ_IO_ERROR);
    const std::string message = gpz_last_error();
    EXPECT_NE(message.find("store"), std::string::npos) << message;
    EXPECT_NE(message.find("Permission denied"), std::string::npos) << message;
    EXPECT_EQ(storage.closed, 0u);
    gpz_reader_close(reader);
    EXPECT_EQ(storage.closed, 1u);
  }
}

TEST(ReaderSources, OfCFunctionsMayBeKept) {
  std::size_t reads[2];
  for (const bool is_kept : {false, true}) {
    Storage storage;
    storage.bytes = small_file(3);
    gpz_source source = source_of(storage);
    if (is_kept) source.cache_bytes = std::uint64_t{1} << 20;
    gpz_reader *reader = nullptr;
    ASSERT_EQ(gpz_reader_open_source(&source, nullptr, &reader), GPZ_OK) << gpz_last_error();
    for (int turn = 0; turn < 2; ++turn)
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(gpz_reader_verify(reader, i), GPZ_OK);  // drops what was read ahead
    gpz_reader_close(reader);
    EXPECT_EQ(storage.closed, 1u);
    reads[is_kept ? 1 : 0] = storage.reads;
  }
  EXPECT_EQ(reads[1], 1u);
  EXPECT_GT(reads[0], 1u);
}

TEST(ReaderSources, OfCFunctionsAreClosedOnceWhereTheyAreRefused) {
  Storage storage;
  storage.bytes = Bytes(100);
  gpz_reader *reader = nullptr;
  gpz_source source = source_of(storage);
  EXPECT_EQ(gpz_reader_open_source(&source, nullptr, &reader), GPZ_NOT_GPZ);
  EXPECT_EQ(storage.closed, 1u);
  source.name = nullptr;
  storage.failure = EIO;
  EXPECT_EQ(gpz_reader_open_source(&source, nullptr, &reader), GPZ_IO_ERROR);
  EXPECT_EQ(std::string(gpz_last_error()).find("source"), 0u) << gpz_last_error();
  EXPECT_EQ(storage.closed, 2u);
  source.read_at = nullptr;
  EXPECT_EQ(gpz_reader_open_source(&source, nullptr, &reader), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(storage.closed, 3u);
  source = source_of(storage);
  gpz_read_options options = gpz_new_read_options();
  options.threads = -1;
  EXPECT_EQ(gpz_reader_open_source(&source, &options, &reader), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(storage.closed, 4u);
  EXPECT_EQ(gpz_reader_open_source(nullptr, nullptr, &reader), GPZ_INVALID_ARGUMENT);
  source.struct_size = 4;
  EXPECT_EQ(gpz_reader_open_source(&source, nullptr, &reader), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(reader, nullptr);
  EXPECT_EQ(gpz_reader_open_source(&source, nullptr, nullptr), GPZ_INVALID_ARGUMENT);
  EXPECT_EQ(storage.closed, 4u);
}

// A size that is not that of the file leads to no read beyond it.
TEST(ReaderSources, ReadNothingBehindTheirEnd) {
  Storage storage;
  storage.bytes = small_file(2);
  const Bytes whole = storage.bytes;
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    gpz_source source = source_of(storage);
    source.size = size;
    storage.bytes.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    gpz_reader *reader = nullptr;
    const gpz_status status = gpz_reader_open_source(&source, nullptr, &reader);
    if (status == GPZ_OK) {
      EXPECT_LT(gpz_reader_frames(reader), 2u + 1u);
      gpz_reader_close(reader);
    } else {
      EXPECT_TRUE(status == GPZ_TRUNCATED || status == GPZ_NOT_GPZ) << status;
    }
  }
}

}  // namespace
}  // namespace gpz::test::reader_source_test
