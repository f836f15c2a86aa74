// SPDX-License-Identifier: BSD-3-Clause
// Writers to memory, to descriptors, and to sinks of the caller: the file is equal in all, and what each holds after a
// failure.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "trajectory_support.hpp"

namespace gpz::test::writer_sink_test {
namespace {

constexpr unsigned interval = 3;

void write_to(Writer &writer, const std::vector<Snapshot> &snapshots) {
  writer.set_key_interval(interval);
  write_all(writer, snapshots);
  writer.close();
}

// Everything that comes out of a pipe while `feed` writes to it.
Bytes piped(const std::function<void(int)> &feed) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe");
  std::thread feeder([&] {
    feed(ends[1]);
    close(ends[1]);
  });
  Bytes bytes;
  char piece[4096];
  for (ssize_t got; (got = read(ends[0], piece, sizeof piece)) > 0;) bytes.insert(bytes.end(), piece, piece + got);
  feeder.join();
  close(ends[0]);
  return bytes;
}

TEST(WriterSinks, TakeTheBytesOfAFile) {
  const auto snapshots = trajectory(700, 7);
  const Bytes file = file_of(snapshots, interval);
  Bytes memory = {1, 2, 3};
  Writer writer(memory, small_metadata());
  set_plain(writer);
  write_to(writer, snapshots);
  EXPECT_EQ(memory, file);
  EXPECT_EQ(writer.size(), file.size());
  EXPECT_EQ(piped([&](int descriptor) {
              Writer to_pipe(descriptor, "pipe", small_metadata());
              set_plain(to_pipe);
              write_to(to_pipe, snapshots);
            }),
            file);
}

TEST(WriterSinks, DescriptorsStayOpen) {
  const Bytes bytes = piped([&](int descriptor) {
    {
      Writer writer(descriptor, "pipe", small_metadata());
      set_plain(writer);
      writer.sync();  // does nothing, and is no error
      writer.close();
    }
    EXPECT_EQ(write(descriptor, "x", 1), 1);
  });
  EXPECT_EQ(bytes.back(), 'x');
  EXPECT_EQ(scan_bytes(Bytes(bytes.begin(), bytes.end() - 1)).frames.size(), 0u);
}

TEST(WriterSinks, MemoryHasWholeFramesAfterEveryCall) {
  const auto snapshots = trajectory(100, 4);
  Bytes memory;
  Writer writer(memory, {});
  set_plain(writer);
  writer.set_key_interval(100);
  for (std::size_t f = 0; f < snapshots.size(); ++f) {
    write_all(writer, {snapshots[f]});
    const FileScan scan = scan_bytes(memory);
    EXPECT_EQ(scan.frames.size(), f + 1);
    EXPECT_EQ(scan.frames_end, memory.size());
    EXPECT_FALSE(scan.torn);
  }
  EXPECT_FALSE(scan_bytes(memory).has_index);
  writer.close();
  EXPECT_TRUE(scan_bytes(memory).has_index);
}

TEST(WriterSinks, ARefusedFrameLeavesAStreamWhole) {
  const auto snapshots = trajectory(100, 2);
  const Bytes bytes = piped([&](int descriptor) {
    Writer writer(descriptor, "pipe", {});
    set_plain(writer);
    write_all(writer, {snapshots[0]});
    Particles bad(1);
    bad.fields[0].field.bound = -1;
    EXPECT_EQ(status_of([&] { writer.write(bad.info, bad.fields); }), Status::invalid_argument);
    write_all(writer, {snapshots[1]});
    writer.close();
  });
  const Reader reader = reader_of(bytes);
  ASSERT_EQ(reader.frames(), 2u);
  EXPECT_TRUE(reader.scan().has_index);
  for (std::size_t f = 0; f < 2; ++f) expect_true(snapshots[f], reader.read(f));
}

// Nothing of the second frame was accepted: it may be tried again.
TEST(WriterSinks, AStreamThatNobodyReadsRefusesEachAttempt) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto snapshots = trajectory(100, 2);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Writer writer(ends[1], "pipe", {});
  set_plain(writer);
  write_all(writer, {snapshots[0]});
  close(ends[0]);
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      write_all(writer, {snapshots[1]});
      FAIL();
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), Status::io_error);
      EXPECT_EQ(error.file(), "pipe");
      EXPECT_EQ(error.system_error(), EPIPE);
    }
  }
  EXPECT_EQ(writer.frames().size(), 1u);
  EXPECT_EQ(status_of([&] { writer.close(); }), Status::io_error);
  close(ends[1]);
}

// A pipe that is full in the middle of a frame: what it has accepted cannot be taken back.
TEST(WriterSinks, AStreamThatTookPartOfAFrameTakesNoMore) {
  const auto snapshots = trajectory(100000, 1);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Writer writer(ends[1], "pipe", {});
  set_plain(writer);
  ASSERT_EQ(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      write_all(writer, {snapshots[0]});
      FAIL();
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), Status::io_error);
      EXPECT_EQ(error.system_error(), attempt == 0 ? EAGAIN : 0);
    }
  }
  EXPECT_EQ(writer.frames().size(), 0u);
  EXPECT_EQ(status_of([&] { writer.close(); }), Status::io_error);
  close(ends[0]);
  close(ends[1]);
}

// Keeps what it gets in `bytes`; fails in the middle of write number `failing`.
class FailingSink final : public Sink {
 public:
  FailingSink(Bytes &bytes, int failing) : bytes_(bytes), failing_(failing) {}
  const std::string &name() const override { return name_; }
  void write(const std::vector<Span> &pieces) override {
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      if (p + 1 == pieces.size() && writes_++ == failing_) throw Error(Status::io_error, "no more room", name_);
      const auto *from = static_cast<const std::uint8_t *>(pieces[p].data);
      bytes_.insert(bytes_.end(), from, from + pieces[p].size);
    }
  }
  void cut(std::uint64_t size) override { bytes_.resize(static_cast<std::size_t>(size)); }

 private:
  Bytes &bytes_;
  int failing_;
  int writes_ = 0;
  std::string name_ = "sink";
};

TEST(WriterSinks, OfTheCallersAreCutAfterAFailure) {
  const auto snapshots = trajectory(300, 6);
  for (int failing = 1; failing <= 6; ++failing) {
    SCOPED_TRACE(failing);
    Bytes bytes;
    Writer writer(std::make_unique<FailingSink>(bytes, failing), {});
    set_plain(writer);
    writer.set_key_interval(interval);
    std::vector<Snapshot> accepted;
    for (const Snapshot &snapshot : snapshots) {
      const std::uint64_t before = writer.size();
      const Status status = status_of([&] { write_all(writer, {snapshot}); });
      if (status == Status::ok) {
        accepted.push_back(snapshot);
      } else {
        EXPECT_EQ(writer.size(), before);
      }
      EXPECT_EQ(bytes.size(), writer.size());
    }
    writer.close();
    ASSERT_EQ(accepted.size(), snapshots.size() - 1);
    const Reader reader = reader_of(bytes);
    ASSERT_EQ(reader.frames(), accepted.size());
    for (std::size_t f = 0; f < accepted.size(); ++f) expect_true(accepted[f], reader.read(f));
    // The frame behind the one that was lost builds on nothing.
    const auto behind = static_cast<std::size_t>(failing - 1);
    if (behind < reader.frames()) {
      EXPECT_EQ(reader.info(behind).since_key, 0);
    }
  }
}

// The frame that is lost was accepted, and waited until then.
TEST(WriterSinks, TakeAKeyFrameAfterASyncThatFailed) {
  const auto snapshots = trajectory(300, 5);
  Bytes bytes;
  Writer writer(std::make_unique<FailingSink>(bytes, 4), {}, 2);
  set_plain(writer);
  writer.set_key_interval(100);
  writer.set_pending(std::uint64_t{1} << 30);
  for (std::size_t f = 0; f < 4; ++f) write_all(writer, {snapshots[f]});
  EXPECT_EQ(status_of([&] { writer.sync(); }), Status::io_error);
  EXPECT_EQ(writer.frames().size(), 3u);
  write_all(writer, {snapshots[4]});
  writer.close();
  const Reader reader = reader_of(bytes);
  ASSERT_EQ(reader.frames(), 4u);
  EXPECT_EQ(reader.info(3).since_key, 0);
  for (std::size_t f = 0; f < 4; ++f) expect_true(snapshots[f < 3 ? f : 4], reader.read(f));
}

FrameInfo frame_with(const std::string &column, unsigned since_key = 0) {
  FrameInfo frame;
  Field field;
  field.type = ValueType::integer;
  field.components = {{column, 0}};
  frame.fields = {field};
  frame.since_key = static_cast<std::uint16_t>(since_key);
  return frame;
}

// The results of the schedule for frames with these columns, all of which are written.
std::vector<int> scheduled(KeySchedule &schedule, const std::vector<std::string> &columns) {
  std::vector<int> result;
  for (const std::string &column : columns) {
    FrameInfo frame = frame_with(column);
    frame.since_key = schedule.next(frame.fields);
    result.push_back(frame.since_key);
    schedule.written(frame);
  }
  return result;
}

TEST(KeySchedule, HasAKeyFrameEveryInterval) {
  KeySchedule schedule(3);
  EXPECT_EQ(scheduled(schedule, {"id", "id", "id", "id", "id"}), (std::vector<int>{0, 1, 2, 0, 1}));
  schedule.set_interval(2);
  EXPECT_EQ(scheduled(schedule, {"id", "id", "id"}), (std::vector<int>{0, 1, 0}));
  schedule.set_interval(1);
  EXPECT_EQ(scheduled(schedule, {"id", "id"}), (std::vector<int>{0, 0}));
}

TEST(KeySchedule, BeginsAnewWithoutIdentityAndAfterARestart) {
  KeySchedule schedule(100);
  EXPECT_EQ(scheduled(schedule, {"id", "id", "type", "type", "id", "id"}), (std::vector<int>{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(schedule.next(frame_with("id").fields), 2);
  EXPECT_EQ(schedule.next(frame_with("type").fields), 0);
  EXPECT_EQ(schedule.next(frame_with("id").fields), 2);  // nothing was written
  schedule.restart();
  EXPECT_EQ(scheduled(schedule, {"id", "id"}), (std::vector<int>{0, 1}));
}

TEST(KeySchedule, TakesIntervalsOfTheFormatOnly) {
  for (const unsigned bad : {0u, 65536u})
    EXPECT_EQ(status_of([&] { KeySchedule schedule(bad); }), Status::invalid_argument);
  KeySchedule schedule(max_key_interval);
  schedule.written(frame_with("id", max_key_interval - 1));
  EXPECT_EQ(schedule.next(frame_with("id").fields), 0);
}

}  // namespace
}  // namespace gpz::test::writer_sink_test
