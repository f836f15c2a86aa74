// SPDX-License-Identifier: BSD-3-Clause
// Reading in several threads: one reader for all, a reader for each, and readers of what is being written.
#include <atomic>

#include "tests/unit/trajectory_support.hpp"
#include "together.hpp"

namespace gpz::test {
namespace {

constexpr std::size_t particles = 3000;  // several blocks
constexpr int frame_count = 7;
constexpr unsigned key_interval = 3;

const std::vector<Snapshot> &snapshots() {
  static const std::vector<Snapshot> all = trajectory(particles, frame_count);
  return all;
}

Bytes small_trajectory(Order order = Order::place) { return file_of(snapshots(), key_interval, 1, true, order); }

// The ids of frame i in ascending order, read with `threads` threads.
std::vector<std::int64_t> sorted_ids(const Reader &reader, std::size_t i, int threads) {
  std::vector<std::int64_t> ids(particles);
  reader.read_columns(i, {{"id", {ids.data(), 8, ConstArray::Type::int64}}}, ids.size(), {threads, true});
  return ids;
}

// All that the reader can do, in another order of the frames in each thread.
void use(const Reader &reader, const std::vector<Frame> &frames, int t) {
  std::vector<std::int64_t> ids(particles);
  for (std::size_t p = 0; p < particles; ++p) ids[p] = static_cast<std::int64_t>(p) + 1;
  const int threads = 1 + t % 3;
  for (std::size_t step = 0; step < frames.size(); ++step) {
    const std::size_t i = (static_cast<std::size_t>(t) + step * (1 + static_cast<std::size_t>(t) % 3)) % frames.size();
    EXPECT_TRUE(same(reader.read(i, threads), frames[i])) << i;
    EXPECT_EQ(sorted_ids(reader, i, threads), ids) << i;
    std::vector<ChunkEntry> chunks;
    EXPECT_EQ(reader.info(i, &chunks).timestep, frames[i].info.timestep);
    EXPECT_EQ(reader.chunk(i, 0).size(), chunks.at(0).length);
    reader.verify(i, threads);
  }
  EXPECT_EQ(status_of([&] { reader.read(frames.size()); }), Status::not_found);
}

TEST(ReadingThreads, ShareAReader) {
  for (const Order order : {Order::place, Order::id}) {
    const Bytes bytes = small_trajectory(order);
    const std::vector<Frame> frames = read_all(bytes);
    ASSERT_EQ(frames.size(), std::size_t{frame_count});
    const Reader reader = reader_of(bytes);
    together(4, [&](int t) { use(reader, frames, t); });
  }
}

TEST(ReadingThreads, HaveAReaderEach) {
  const Bytes bytes = small_trajectory();
  const std::vector<Frame> frames = read_all(bytes);
  const TemporaryFile file;
  file.set(bytes);
  const Reader shared(file.path());
  together(3, [&](int t) {
    if (t == 0) return use(Reader(file.path()), frames, t);
    use(shared, frames, t);
  });
}

// The damage of a difference frame is kept for the frames behind it; whoever comes first, each thread gets it.
TEST(ReadingThreads, MeetDamage) {
  Bytes bytes = small_trajectory();
  const std::vector<Frame> frames = read_all(bytes);
  const std::vector<IndexEntry> places = scan_bytes(bytes).frames;
  constexpr std::size_t damaged = 4;  // 3 is a key frame, 5 a difference frame
  bytes[static_cast<std::size_t>(places[damaged].offset + places[damaged].length) - 40] ^= 1;  // of the chunk
  const Reader reader = reader_of(bytes);
  together(4, [&](int t) {
    for (std::size_t step = 0; step < 2 * frames.size(); ++step) {
      const std::size_t i = (static_cast<std::size_t>(t) + step) % frames.size();
      const bool is_readable = i < damaged || i > damaged + 1;
      Frame frame;
      EXPECT_EQ(status_of([&] { frame = reader.read(i); }), is_readable ? Status::ok : Status::corrupt) << i;
      if (is_readable) {
        EXPECT_TRUE(same(frame, frames[i])) << i;
      }
    }
  });
}

// Whoever opens a file that is being written gets its first frames, each of them whole.
TEST(ReadingThreads, BesideAWriter) {
  Bytes alone;
  Writer expected(alone, small_metadata());
  expected.set_key_interval(key_interval);
  write_all(expected, snapshots());
  expected.close();
  const std::vector<Frame> frames = read_all(alone);
  const TemporaryFile file;
  Writer writer(file.path(), small_metadata());
  writer.set_key_interval(key_interval);
  std::atomic<std::size_t> written{0};
  std::atomic<int> readers_at_work{2};
  together(3, [&](int t) {
    if (t == 0) {
      for (std::size_t round = 0; round < frames.size(); ++round) {
        writer.write(snapshots()[round].info, snapshots()[round].inputs());
        ++written;
      }
      writer.close();
      return;
    }
    std::size_t seen = 0;
    while (seen < frames.size()) {
      const std::size_t at_least = written;
      const Reader reader(file.path());
      ASSERT_GE(reader.frames(), std::max(seen, at_least));
      for (std::size_t i = seen; i < reader.frames(); ++i) EXPECT_TRUE(same(reader.read(i, 2), frames[i])) << i;
      seen = reader.frames();
    }
    --readers_at_work;
  });
  EXPECT_EQ(readers_at_work, 0);
  EXPECT_EQ(file.bytes(), alone);
}

TEST(ReadingThreads, BehindAPipe) {
  const std::vector<Frame> frames = read_all(small_trajectory());
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::vector<Frame> received;
  together(2, [&](int t) {
    if (t == 0) {
      Writer writer(ends[1], "pipe", small_metadata(), 2);
      set_plain(writer);
      writer.set_key_interval(key_interval);
      write_all(writer, snapshots());
      writer.close();
      close(ends[1]);
      return;
    }
    StreamReader reader(ends[0], "pipe");
    for (Frame frame; reader.next(frame, 2);) received.push_back(frame);
  });
  close(ends[0]);
  ASSERT_EQ(received.size(), frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_TRUE(same(received[i], frames[i])) << i;
}

}  // namespace
}  // namespace gpz::test
