// SPDX-License-Identifier: BSD-3-Clause
// Frames that are decoded ahead: which ones, by which threads, and that whoever reads them sees no difference.
#include "gpz/api/frames_ahead.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "gpz/api/source.hpp"
#include "tests/unit/trajectory_support.hpp"
#include "together.hpp"

namespace gpz::test {
namespace {

using api::FrameRequest;
using api::FramesAhead;

constexpr std::size_t particles = FramesAhead::least_particles;
constexpr int frame_count = 14;
constexpr unsigned key_interval = 4;

const std::vector<Snapshot> &snapshots() {
  static const std::vector<Snapshot> all = trajectory(particles, frame_count);
  return all;
}

const Bytes &file() {
  static const Bytes bytes = file_of(snapshots(), key_interval, 1, true, Order::id);
  return bytes;
}

api::FrameFile frame_file() {
  return api::FrameFile(std::make_unique<api::MemorySource>(file().data(), file().size(), "memory"));
}

FrameRequest ids() {
  FrameRequest request;
  request.columns = {{1, 0, ConstArray::Type::int64}};
  return request;
}

// Decodes nothing, and notes which frames it was called for.
struct Calls {
  std::mutex mutex;
  std::condition_variable changed;
  std::multiset<std::size_t> frames;
  std::set<std::thread::id> threads;

  // Waits until the frame has been decoded so often.
  void wait_for(std::size_t i, std::size_t count = 1) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return frames.count(i) >= count; });
  }

  FramesAhead::Decode noting() {
    return [this](std::size_t i, const FrameRequest &, int, api::IntervalCursor &, api::HeldValues &) {
      const std::lock_guard<std::mutex> lock(mutex);
      frames.insert(i);
      threads.insert(std::this_thread::get_id());
      changed.notify_all();
    };
  }
};

bool take(FramesAhead &ahead, std::size_t i, const FrameRequest &request = ids(), int threads = 3) {
  return ahead.take(i, i % key_interval, request, threads, [](const api::HeldValues &) { return true; });
}

TEST(FramesAhead, AreThoseOfTheNextKeyIntervals) {
  const api::FrameFile frames = frame_file();
  api::IntervalCursors cursors(frames);
  Calls calls;
  {
    FramesAhead ahead(frames, cursors, 1 << 30, calls.noting());
    for (std::size_t i = 0; i < 4; ++i) EXPECT_FALSE(take(ahead, i)) << i;
    calls.wait_for(4);
    EXPECT_TRUE(take(ahead, 4));
    // Those that are not decoded yet are left to the caller.
    for (std::size_t i = 5; i < frame_count; ++i) take(ahead, i);
  }
  for (std::size_t i = 0; i < frame_count; ++i) EXPECT_LE(calls.frames.count(i), i < 4 ? 0u : 1u) << i;
  EXPECT_EQ(calls.threads.count(std::this_thread::get_id()), 0u);
}

TEST(FramesAhead, AreEveryNth) {
  const api::FrameFile frames = frame_file();
  api::IntervalCursors cursors(frames);
  Calls calls;
  {
    FramesAhead ahead(frames, cursors, 1 << 30, calls.noting());
    EXPECT_FALSE(take(ahead, 1));
    EXPECT_FALSE(take(ahead, 4));
    EXPECT_FALSE(take(ahead, 7)) << "it is in the caller's key interval";
    for (const std::size_t i : {10, 13}) {
      calls.wait_for(i);
      EXPECT_TRUE(take(ahead, i)) << i;
    }
  }
  EXPECT_EQ(calls.frames, (std::multiset<std::size_t>{10, 13}));
}

TEST(FramesAhead, AreNotGuessed) {
  const api::FrameFile frames = frame_file();
  api::IntervalCursors cursors(frames);
  Calls calls;
  FramesAhead ahead(frames, cursors, 1 << 30, calls.noting());
  for (const std::size_t i : {5, 6, 8, 8, 3, 2, 1, 0, 13}) EXPECT_FALSE(take(ahead, i)) << i;
  FrameRequest other = ids();
  other.sort_by_id = true;
  for (std::size_t i = 0; i < frame_count; ++i) EXPECT_FALSE(take(ahead, i, i % 2 == 0 ? ids() : other)) << i;
  for (std::size_t i = 0; i < frame_count; ++i) EXPECT_FALSE(take(ahead, i, ids(), 1)) << i;
  EXPECT_FALSE(ahead.stop()) << "no thread was started";
  EXPECT_TRUE(calls.frames.empty());
}

TEST(FramesAhead, EndWithTheLoop) {
  const api::FrameFile frames = frame_file();
  api::IntervalCursors cursors(frames);
  Calls calls;
  FramesAhead ahead(frames, cursors, 1 << 30, calls.noting());
  for (std::size_t i = 0; i < 3; ++i) take(ahead, i);
  calls.wait_for(4);
  EXPECT_FALSE(take(ahead, 1));
  EXPECT_FALSE(take(ahead, 12)) << "the stride is another one";
  EXPECT_FALSE(take(ahead, 0));
  EXPECT_FALSE(take(ahead, 1)) << "a new loop";
  calls.wait_for(4, 2);
  EXPECT_FALSE(take(ahead, 2));
  EXPECT_FALSE(take(ahead, 3));
  EXPECT_TRUE(take(ahead, 4));
  EXPECT_TRUE(ahead.stop());
  EXPECT_FALSE(take(ahead, 5));
  EXPECT_FALSE(ahead.stop());
}

// Each key interval waits for the next one to begin.
TEST(FramesAhead, KeyIntervalsAreDecodedAtTheSameTime) {
  const api::FrameFile frames = frame_file();
  api::IntervalCursors cursors(frames);
  Calls calls;
  const FramesAhead::Decode note = calls.noting();
  FramesAhead ahead(frames, cursors, 1 << 30,
                    [&](std::size_t i, const FrameRequest &request, int threads, api::IntervalCursor &cursor,
                        api::HeldValues &values) {
                      note(i, request, threads, cursor, values);
                      if (i < 8) calls.wait_for(8);
                    });
  for (std::size_t i = 0; i < 4; ++i) take(ahead, i);
  calls.wait_for(4);
  EXPECT_TRUE(take(ahead, 4));
}

TEST(FramesAhead, AreNotMoreThanThereIsRoomFor) {
  const api::FrameFile frames = frame_file();
  api::IntervalCursors cursors(frames);
  Calls calls;
  std::size_t taken = 0;
  std::size_t most = 0;
  {
    const FramesAhead::Decode note = calls.noting();
    FramesAhead ahead(frames, cursors, 3 * 8 * particles,
                      [&](std::size_t i, const FrameRequest &request, int threads, api::IntervalCursor &cursor,
                          api::HeldValues &values) {
                        note(i, request, threads, cursor, values);
                        const std::lock_guard<std::mutex> lock(calls.mutex);
                        most = std::max(most, calls.frames.size() - taken);
                      });
    take(ahead, 0);
    take(ahead, 1);
    calls.wait_for(6);  // three of them
    for (std::size_t i = 2; i < frame_count; ++i) {
      const bool was_ahead = take(ahead, i);
      const std::lock_guard<std::mutex> lock(calls.mutex);
      taken += was_ahead ? 1 : 0;
    }
  }
  EXPECT_LE(most, 4u);  // one may be taken, and not be counted yet
}

TEST(FramesAhead, ThatCannotBeDecodedAreLeftToTheCaller) {
  const api::FrameFile frames = frame_file();
  api::IntervalCursors cursors(frames);
  Calls calls;
  const FramesAhead::Decode note = calls.noting();
  FramesAhead ahead(frames, cursors, 1 << 30,
                    [&](std::size_t i, const FrameRequest &request, int threads, api::IntervalCursor &cursor,
                        api::HeldValues &values) {
                      note(i, request, threads, cursor, values);
                      if (i == 4) throw Error(Status::corrupt, "damaged");
                      if (i == 8) throw std::bad_alloc();
                    });
  take(ahead, 0);
  take(ahead, 1);
  calls.wait_for(8);
  for (std::size_t i = 2; i < frame_count; ++i) {
    const bool was_ahead = take(ahead, i);
    EXPECT_FALSE(was_ahead && (i == 4 || i == 8)) << i;
  }
}

// --- Readers ---

TEST(FramesAhead, AreThoseThatReadersWouldDecode) {
  const std::vector<Frame> frames = read_all(file());
  for (const std::size_t step : {1, 2, 5}) {
    const Reader reader = reader_of(file());
    for (int round = 0; round < 2; ++round)
      for (std::size_t i = 0; i < frames.size(); i += step) EXPECT_TRUE(same(reader.read(i, 3), frames[i])) << i;
  }
}

TEST(FramesAhead, ComeInTheTypesOfTheCaller) {
  const Reader plain = reader_of(file());
  const Reader ahead = reader_of(file());
  struct Arrays {
    std::vector<float> x = std::vector<float>(3 * particles);
    std::vector<double> v = std::vector<double>(particles);
    std::vector<std::int32_t> id = std::vector<std::int32_t>(particles);
  };
  const auto read = [](const Reader &reader, std::size_t i, int threads) {
    Arrays out;
    reader.read_columns(i,
                        {{"x", {out.x.data(), 12, ConstArray::Type::float32}},
                         {"z", {out.x.data() + 2, 12, ConstArray::Type::float32}},
                         {"vy", {out.v.data(), 8, ConstArray::Type::float64}},
                         {"id", {out.id.data(), 4, ConstArray::Type::int32}}},
                        particles, {threads, true});
    return out;
  };
  for (std::size_t i = 0; i < frame_count; ++i) {
    const Arrays expected = read(plain, i, 1);
    const Arrays found = read(ahead, i, 4);
    EXPECT_EQ(found.x, expected.x) << i;
    EXPECT_EQ(found.v, expected.v) << i;
    EXPECT_EQ(found.id, expected.id) << i;
  }
}

TEST(FramesAhead, BehindDamageAreThoseOfTheNextKeyFrame) {
  Bytes bytes = file();
  const std::vector<Frame> frames = read_all(bytes);
  const std::vector<IndexEntry> places = scan_bytes(bytes).frames;
  bytes[static_cast<std::size_t>(places[5].offset + places[5].length) - 40] ^= 1;  // of a chunk
  const Reader reader = reader_of(bytes);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const bool is_readable = i < 5 || i > 7;
    Frame frame;
    EXPECT_EQ(status_of([&] { frame = reader.read(i, 3); }), is_readable ? Status::ok : Status::corrupt) << i;
    if (is_readable) {
      EXPECT_TRUE(same(frame, frames[i])) << i;
    }
  }
}

// The particles and fields of a loop's frames may change.
TEST(FramesAhead, HaveTheirOwnFields) {
  Gas gas(particles);
  std::vector<Snapshot> changing;
  for (int f = 0; f < 9; ++f) {
    Style style;
    style.velocities = f % 3 != 0;
    gas.add(f % 2 == 0 ? 0 : 5);
    gas.move();
    changing.push_back(gas.snapshot(style));
  }
  const Bytes bytes = file_of(changing, key_interval);
  const std::vector<Frame> frames = read_all(bytes);
  const Reader reader = reader_of(bytes);
  for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_TRUE(same(reader.read(i, 3), frames[i])) << i;
}

// With any limit that is enough for one frame after the other.
TEST(FramesAhead, DoNotTakeTheMemoryOfOthers) {
  const std::vector<Frame> frames = read_all(file());
  int tried = 0;
  for (std::uint64_t memory = 400'000; memory < 3'000'000; memory += 200'000) {
    Limits limits;
    limits.memory = memory;
    const auto read = [&](int threads) {
      const Reader reader(file().data(), file().size(), "memory", limits);
      for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_TRUE(same(reader.read(i, threads), frames[i])) << i;
    };
    if (status_of([&] { read(1); }) != Status::ok) continue;
    ++tried;
    EXPECT_EQ(status_of([&] { read(3); }), Status::ok) << memory;
  }
  EXPECT_GT(tried, 5);
}

TEST(FramesAhead, OfSeveralLoopsOverOneReader) {
  const std::vector<Frame> frames = read_all(file());
  const Reader reader = reader_of(file());
  together(3, [&](int t) {
    for (std::size_t i = 0; i < frames.size(); i += 1 + static_cast<std::size_t>(t) % 2)
      EXPECT_TRUE(same(reader.read(i, 2 + t), frames[i])) << i;
  });
}

TEST(FramesAhead, OfAReaderThatMoves) {
  const std::vector<Frame> frames = read_all(file());
  Reader reader = reader_of(file());
  for (std::size_t i = 0; i < 4; ++i) reader.read(i, 3);
  Reader moved(std::move(reader));
  for (std::size_t i = 4; i < frames.size(); ++i) EXPECT_TRUE(same(moved.read(i, 3), frames[i])) << i;
}

#ifndef __SANITIZE_THREAD__  // which does not follow a child process with threads
TEST(FramesAhead, AreDecodedByAForkItself) {
  const std::vector<Frame> frames = read_all(file());
  const Reader reader = reader_of(file());
  for (std::size_t i = 0; i < 6; ++i) reader.read(i, 3);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  const auto all_right = [&](std::size_t from) {
    for (std::size_t i = from; i < frames.size(); ++i)
      if (!same(reader.read(i, 3), frames[i])) return false;
    return true;
  };
  if (child == 0) _exit(all_right(6) && all_right(0) ? 0 : 1);
  EXPECT_TRUE(all_right(6));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif

}  // namespace
}  // namespace gpz::test
