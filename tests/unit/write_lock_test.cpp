// SPDX-License-Identifier: BSD-3-Clause
// A file has one writer at a time, in this process and in others.
#include "gpz/write_lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "container_support.hpp"
#include "gpz/gpz.h"
#include "gpz/reader.hpp"
#include "gpz/writer.hpp"

namespace gpz::test::write_lock_test {
namespace {

// A process that does something, says so, and lives until it is told to end or killed.
class Process {
 public:
  explicit Process(const std::function<void()> &work) {
    EXPECT_EQ(::pipe(ready_), 0);
    EXPECT_EQ(::pipe(end_), 0);
    id_ = ::fork();
    if (id_ != 0) {
      char byte = 0;
      EXPECT_EQ(::read(ready_[0], &byte, 1), 1);
      return;
    }
    ::close(end_[1]);
    work();
    const ssize_t said = ::write(ready_[1], "", 1);
    char byte = 0;
    const ssize_t heard = ::read(end_[0], &byte, 1);
    ::_exit(said == 1 && heard == 0 ? 0 : 1);
  }
  ~Process() {
    end();
    for (const int descriptor : {ready_[0], ready_[1], end_[0]}) ::close(descriptor);
  }
  Process(const Process &) = delete;
  Process &operator=(const Process &) = delete;

  void kill() {
    ::kill(id_, SIGKILL);
    end();
  }
  void end() {
    if (id_ <= 0) return;
    ::close(end_[1]);
    int status = 0;
    EXPECT_EQ(::waitpid(std::exchange(id_, 0), &status, 0) > 0, true);
  }

 private:
  int ready_[2] = {-1, -1};
  int end_[2] = {-1, -1};
  pid_t id_ = 0;
};

// The cause for which a call is refused as an invalid argument; empty if it is not.
std::string refusal(const std::function<void()> &call) {
  try {
    call();
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), Status::invalid_argument) << error.what();
    return error.cause();
  }
  return {};
}

bool is_refused(const std::function<void()> &call, const char *text) {
  return refusal(call).find(text) != std::string::npos;
}

constexpr const char *here = "being written by another writer of this program";
constexpr const char *elsewhere = "being written by another program";

class WriteLockOf : public ::testing::Test {
 protected:
  WriteLockOf() { file.set(small_file(2, false)); }

  std::unique_ptr<Writer> appending() const {
    return std::make_unique<Writer>(file.path(), Metadata(), Writer::Mode::append);
  }
  void append(int frame) const { write(*appending(), frame); }
  static void write(Writer &writer, int frame) {
    const Particles particles(frame);
    set_plain(writer);
    writer.write(particles.info, particles.fields);
  }
  std::size_t frames() const { return scan_file(file.path()).frames.size(); }

  TemporaryFile file;
};

TEST_F(WriteLockOf, AWriterKeepsOthersOutWhateverTheName) {
  const TemporaryFile hard, soft;
  ASSERT_EQ(::link(file.path().c_str(), hard.path().c_str()), 0);
  ASSERT_EQ(::symlink(file.path().c_str(), soft.path().c_str()), 0);
  const std::unique_ptr<Writer> first = appending();
  write(*first, 2);
  const Bytes before = file.bytes();
  for (const std::string &path : {file.path(), hard.path(), soft.path()}) {
    EXPECT_TRUE(is_refused([&] { Writer(path, {}, Writer::Mode::append); }, here));
    EXPECT_TRUE(is_refused([&] { Writer(path, {}); }, here));
    EXPECT_TRUE(is_refused([&] { const WriteLock lock(path); }, here));
  }
  EXPECT_EQ(file.bytes(), before);
  write(*first, 3);
  first->close();
  append(4);
  EXPECT_EQ(frames(), 5U);
}

TEST_F(WriteLockOf, AWriterEndsWithIt) {
  std::unique_ptr<Writer> writer = appending();
  Writer moved = std::move(*writer);
  writer.reset();
  EXPECT_TRUE(is_refused([&] { appending(); }, here));
  moved = Writer(file.path() + ".other", {});
  std::remove((file.path() + ".other").c_str());
  append(2);
  file.set({1, 2, 3});
  EXPECT_EQ(status_of([&] { appending(); }), Status::not_gpz);
  file.set(small_file());
  append(3);
}

TEST_F(WriteLockOf, ADescriptor) {
  const int descriptor = ::open(file.path().c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  {
    Writer writer(descriptor, "given", small_metadata());
    EXPECT_TRUE(is_refused([&] { appending(); }, here));
    EXPECT_TRUE(is_refused([&] { Writer(descriptor, "again", {}); }, here));
    write(writer, 0);
    writer.close();
    append(1);
  }
  ::close(descriptor);
  EXPECT_EQ(frames(), 2U);
}

TEST_F(WriteLockOf, PipesHaveNone) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const Writer first(pipe[1], "pipe", {});
  const Writer second(pipe[1], "pipe", {});
  const WriteLock none("/dev/null"), missing(file.path() + ".none");
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_F(WriteLockOf, AnotherProcessUntilItIsKilled) {
  std::unique_ptr<Writer> writer;
  Process other([&] {
    writer = appending();
    write(*writer, 2);
  });
  const Bytes before = file.bytes();
  EXPECT_TRUE(is_refused([&] { appending(); }, elsewhere));
  EXPECT_TRUE(is_refused([&] { Writer(file.path(), {}); }, elsewhere));
  EXPECT_EQ(file.bytes(), before);
  EXPECT_EQ(Reader(file.path()).frames(), 3U);
  other.kill();
  append(3);
  EXPECT_EQ(frames(), 4U);
}

TEST_F(WriteLockOf, AForkedProcessDoesNotKeepIt) {
  std::unique_ptr<Writer> writer = appending();
  const Process child([&] {
    if (!is_refused([&] { appending(); }, elsewhere)) ::_exit(1);
  });
  EXPECT_TRUE(is_refused([&] { appending(); }, here));
  writer->close();
  append(2);
  const Process other([&] { append(3); });
  EXPECT_EQ(frames(), 4U);
}

TEST_F(WriteLockOf, AProcessEndsWithItWhateverItsChildrenDo) {
  int hold[2];
  int begun[2];
  ASSERT_EQ(::pipe(hold), 0);
  ASSERT_EQ(::pipe(begun), 0);
  std::unique_ptr<Writer> writer;
  Process other([&] {
    writer = appending();
    char byte = 0;
    if (::fork() != 0) {  // until the child has closed its copy of what is locked
      EXPECT_EQ(::read(begun[0], &byte, 1), 1);
      return;
    }
    EXPECT_EQ(::write(begun[1], &byte, 1), 1);
    ::close(hold[1]);
    ::_exit(static_cast<int>(::read(hold[0], &byte, 1)));  // at the end of this test
  });
  EXPECT_TRUE(is_refused([&] { appending(); }, elsewhere));
  other.kill();
  append(2);
  EXPECT_EQ(frames(), 3U);
  for (const int descriptor : {hold[0], hold[1], begun[0], begun[1]}) ::close(descriptor);
}

TEST_F(WriteLockOf, ReadersAreNotKeptOut) {
  const std::unique_ptr<Writer> writer = appending();
  const Reader before(file.path());
  write(*writer, 2);
  EXPECT_EQ(before.frames(), 2U);
  EXPECT_EQ(Reader(file.path()).frames(), 3U);
}

TEST_F(WriteLockOf, AStreamThatIsReadIsNotEmptied) {
  const int descriptor = ::open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  {
    const StreamReader first(descriptor, "stream");
    ASSERT_EQ(::lseek(descriptor, 0, SEEK_SET), 0);
    const StreamReader second(descriptor, "stream");
    EXPECT_TRUE(is_refused([&] { Writer(file.path(), {}); }, "open for reading in this program"));
    append(2);
  }
  ::close(descriptor);
  EXPECT_EQ(frames(), 3U);
}

TEST_F(WriteLockOf, AReadLockKeepsOtherProgramsFromEmptyingTheFile) {
  std::optional<ReadLock> lock, second;
  Process other([&] {
    lock.emplace(file.path());
    second.emplace(file.path());
    lock.reset();
  });
  const Bytes before = file.bytes();
  EXPECT_TRUE(is_refused([&] { Writer(file.path(), {}); }, "being read by another program"));
  EXPECT_EQ(file.bytes(), before);
  append(2);
  other.end();
  Writer(file.path(), small_metadata()).close();
  EXPECT_EQ(frames(), 0U);
  const ReadLock of_none(file.path() + ".none");
}

TEST_F(WriteLockOf, AFileThatMustNotBeWritten) {
  ASSERT_EQ(::chmod(file.path().c_str(), 0400), 0);
  if (::access(file.path().c_str(), W_OK) == 0) GTEST_SKIP() << "this user may write any file";
  EXPECT_EQ(status_of([&] { const WriteLock lock(file.path()); }), Status::io_error);
}

TEST_F(WriteLockOf, IsAStatusInC) {
  gpz_writer *first = nullptr;
  gpz_writer *second = nullptr;
  ASSERT_EQ(gpz_writer_open(file.path().c_str(), GPZ_APPEND, nullptr, 1, &first), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(gpz_writer_open(file.path().c_str(), GPZ_APPEND, nullptr, 1, &second), GPZ_INVALID_ARGUMENT);
  EXPECT_NE(std::string(gpz_last_error()).find(here), std::string::npos) << gpz_last_error();
  EXPECT_EQ(gpz_writer_close(first), GPZ_OK);
  EXPECT_EQ(gpz_writer_open(file.path().c_str(), GPZ_APPEND, nullptr, 1, &second), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(gpz_writer_close(second), GPZ_OK);
}

}  // namespace
}  // namespace gpz::test::write_lock_test
