// SPDX-License-Identifier: BSD-3-Clause
// A writer replaces no file that a reader of the same process has open.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "container_support.hpp"
#include "gpz/api/file.hpp"
#include "gpz/api/record_writer.hpp"
#include "gpz/gpz.h"
#include "gpz/reader.hpp"
#include "gpz/writer.hpp"

namespace gpz::test::being_read_test {
namespace {

class BeingRead : public ::testing::Test {
 protected:
  BeingRead() { file.set(whole); }

  // That the file cannot be replaced by this name, and is as it was.
  void expect_refused(const std::string &path) const {
    std::optional<Error> caught;
    try {
      Writer writer(path, {});
    } catch (const Error &error) {
      caught = error;
    }
    ASSERT_TRUE(caught);
    EXPECT_EQ(caught->status(), Status::invalid_argument);
    EXPECT_EQ(caught->file(), path);
    EXPECT_NE(caught->cause().find("open for reading in this program"), std::string::npos) << caught->cause();
    EXPECT_EQ(file.bytes(), whole);
  }
  void expect_replaced() const {
    Writer writer(file.path(), {});
    EXPECT_LT(file.bytes().size(), whole.size());
  }

  TemporaryFile file;
  Bytes whole = small_file(3);
};

TEST_F(BeingRead, IsNotReplacedWhateverItsName) {
  const TemporaryFile hard, soft;
  ASSERT_EQ(::link(file.path().c_str(), hard.path().c_str()), 0);
  ASSERT_EQ(::symlink(file.path().c_str(), soft.path().c_str()), 0);
  {
    const Reader reader(file.path());
    for (const std::string &path : {file.path(), hard.path(), soft.path()}) expect_refused(path);
    EXPECT_EQ(reader.read(2).info.particles, reader.info(2).particles);
  }
  expect_replaced();
}

TEST_F(BeingRead, UntilTheLastReaderIsGone) {
  auto first = std::make_unique<Reader>(file.path());
  auto second = std::make_unique<Reader>(file.path());
  first.reset();
  expect_refused(file.path());
  auto moved = std::make_unique<Reader>(std::move(*second));
  second.reset();
  expect_refused(file.path());
  moved.reset();
  expect_replaced();
}

TEST_F(BeingRead, IsReplacedIfTheReaderAllowsIt) {
  Reader reader(file.path());
  const Reader other(file.path());
  reader.allow_replacement();
  reader.allow_replacement();
  expect_refused(file.path());
  Reader memory(whole.data(), whole.size());
  memory.allow_replacement();
  EXPECT_EQ(reader.frames(), 3U);
}

TEST_F(BeingRead, IsReplacedIfEveryReaderAllowsIt) {
  Reader reader(file.path());
  reader.allow_replacement();
  expect_replaced();
}

TEST_F(BeingRead, OtherReadersDoNotMatter) {
  const TemporaryFile other;
  other.set(whole);
  const Reader reader(other.path());
  EXPECT_EQ(status_of([&] { Reader(file.path() + ".none"); }), Status::io_error);
  file.set({1, 2, 3});
  EXPECT_EQ(status_of([&] { Reader(file.path()); }), Status::not_gpz);
  file.set(whole);
  EXPECT_EQ(scan_file(file.path()).frames.size(), 3U);
  expect_replaced();
}

TEST_F(BeingRead, TakesFramesBehindItsLast) {
  const Reader reader(file.path());
  { Writer writer(file.path(), {}, Writer::Mode::append); }
  EXPECT_EQ(reader.read(2).info.timestep, reader.info(2).timestep);
}

TEST_F(BeingRead, IsAStatusInC) {
  gpz_reader *reader = nullptr;
  ASSERT_EQ(gpz_reader_open(file.path().c_str(), 1, &reader), GPZ_OK) << gpz_last_error();
  gpz_writer *writer = nullptr;
  EXPECT_EQ(gpz_writer_open(file.path().c_str(), GPZ_CREATE, nullptr, 1, &writer), GPZ_INVALID_ARGUMENT);
  EXPECT_NE(std::string(gpz_last_error()).find("open for reading"), std::string::npos) << gpz_last_error();
  EXPECT_EQ(file.bytes(), whole);
  gpz_reader_close(reader);
  EXPECT_EQ(gpz_writer_open(file.path().c_str(), GPZ_CREATE, nullptr, 1, &writer), GPZ_OK) << gpz_last_error();
  EXPECT_EQ(gpz_writer_close(writer), GPZ_OK);
}

TEST_F(BeingRead, AnExistingFileThatCannotBeEmptied) {
  class Refusing : public api::System {
   public:
    int ftruncate(int, off_t) override {
      errno = EIO;
      return -1;
    }
  } system;
  std::optional<Error> caught;
  try {
    api::write_file(file.path(), {}, false, system);
  } catch (const Error &error) {
    caught = error;
  }
  ASSERT_TRUE(caught);
  EXPECT_EQ(caught->status(), Status::io_error);
  EXPECT_EQ(caught->system_error(), EIO);
  EXPECT_EQ(file.bytes(), whole);
}

}  // namespace
}  // namespace gpz::test::being_read_test
