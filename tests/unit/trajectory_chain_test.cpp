// SPDX-License-Identifier: BSD-3-Clause
// Difference frames that are damaged or missing, and readers and writers that do not go through a file from its first
// frame to its last.
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <numeric>

#include "trajectory_support.hpp"

namespace gpz::test::trajectory_chain_test {
namespace {

struct Attempt {
  Status status = Status::ok;
  std::string message;
  Frame frame;
};
Attempt attempt(const Reader &reader, std::size_t i) {
  Attempt out;
  out.status = status_of([&] {
    try {
      out.frame = reader.read(i);
    } catch (const Error &error) {
      out.message = error.what();
      throw;
    }
  });
  return out;
}

std::vector<std::size_t> any_order(std::size_t n, Random &random) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  order.insert(order.end(), order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n / 2));
  return order;
}

TEST(DamagedChain, CostsTheFramesToTheNextKeyFrame) {
  constexpr std::size_t interval = 5;
  Random random(2);
  for (const bool with_index : {true, false}) {
    const Bytes good = chained_file(16, interval, with_index);
    const std::vector<Frame> frames = read_all(good);
    const auto positions = scan_bytes(good).frames;
    for (std::size_t damaged = 0; damaged < frames.size(); ++damaged) {
      Bytes bytes = good;
      bytes[positions[damaged].offset + positions[damaged].length - 40] ^= 1;  // of the chunk
      const Reader reader = reader_of(bytes);
      ASSERT_EQ(reader.frames(), frames.size());
      for (const std::size_t i : any_order(frames.size(), random)) {
        SCOPED_TRACE("frame " + std::to_string(i) + ", damaged " + std::to_string(damaged));
        const Attempt got = attempt(reader, i);
        if (i < damaged || i / interval > damaged / interval) {
          EXPECT_EQ(got.status, Status::ok) << got.message;
          EXPECT_TRUE(same(got.frame, frames[i]));
          continue;
        }
        EXPECT_EQ(got.status, Status::corrupt);
        EXPECT_NE(got.message.find("checksum"), std::string::npos) << got.message;
        const bool blames = got.message.find("frame " + std::to_string(damaged) + ",") != std::string::npos;
        EXPECT_EQ(blames, i != damaged) << got.message;
      }
      const Streamed streamed = stream(bytes);
      EXPECT_EQ(streamed.status, Status::corrupt);
      EXPECT_EQ(streamed.frames.size(), damaged);
    }
  }
}

// Frames whose head is damaged are not found: others are in their places.
TEST(DamagedChain, WithFramesThatAreMissing) {
  constexpr std::size_t interval = 4;
  const Bytes good = chained_file(14, interval, false);
  const std::vector<Frame> frames = read_all(good);
  const auto positions = scan_bytes(good).frames;
  Random random(3);
  for (unsigned round = 0; round < 60; ++round) {
    Bytes bytes = good;
    std::vector<bool> lost(frames.size(), false);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (random.below(4) != 0) continue;
      lost[i] = true;
      bytes[positions[i].offset + 30] ^= 1;
    }
    const Reader reader = reader_of(bytes);
    for (const std::size_t i : any_order(reader.frames(), random)) {
      const auto original = static_cast<std::size_t>(reader.scan().frames[i].timestep / 100);
      const auto key = static_cast<std::ptrdiff_t>(original - original % interval);
      const bool whole = std::find(lost.begin() + key, lost.begin() + static_cast<std::ptrdiff_t>(original), true) ==
                         lost.begin() + static_cast<std::ptrdiff_t>(original);
      const Attempt got = attempt(reader, i);
      ASSERT_EQ(got.status, whole ? Status::ok : Status::corrupt) << got.message << ", frame " << original;
      EXPECT_EQ(got.message.find("missing") != std::string::npos, !whole) << got.message;
      EXPECT_TRUE(!whole || same(got.frame, frames[original]));
    }
  }
}

TEST(DamagedChain, OfFramesThatBuildOnOthers) {
  const Bytes good = chained_file(6, 3, false);
  const auto positions = scan_bytes(good).frames;
  const auto part = [&](std::size_t from, std::size_t to) {
    const std::size_t end = to == 6 ? good.size() : positions[to].offset;
    const std::size_t begin = from == 0 ? 0 : positions[from].offset;
    return Bytes(good.begin() + static_cast<std::ptrdiff_t>(begin), good.begin() + static_cast<std::ptrdiff_t>(end));
  };
  // The second frame of the other chain, in the place of the second.
  const Bytes exchanged = joined({part(0, 1), part(4, 5), part(2, 6)});
  // A head that was changed, with a checksum that holds: the next frame knows.
  Bytes changed = good;
  changed[positions[1].offset + 24 + 8] ^= 1;
  mend_record(changed, positions[1].offset);
  const auto expect_readable = [](const Bytes &bytes, const std::vector<bool> &readable) {
    const Reader reader = reader_of(bytes);
    ASSERT_EQ(reader.frames(), readable.size());
    for (std::size_t i = 0; i < readable.size(); ++i)
      EXPECT_EQ(attempt(reader, i).status, readable[i] ? Status::ok : Status::corrupt) << i;
    EXPECT_EQ(stream(bytes).status, Status::corrupt);
  };
  expect_readable(exchanged, {true, false, false, true, true, true});
  expect_readable(changed, {true, true, false, true, true, true});
}

TEST(DamagedChain, StartsWithDifferences) {
  const auto snapshots = trajectory(100, 2);
  TrajectoryEncoder encoder;
  set_plain(encoder);
  EncodedChunk chunk;
  for (std::size_t f = 0; f < 2; ++f)
    encoder.encode(snapshots[f].inputs(), 100, nullptr, snapshots[f].info.box, f == 0, chunk);
  FrameInfo info = snapshots[1].info;
  for (const Quantity &q : snapshots[1].quantities) info.fields.push_back(q.field);
  const TemporaryFile file;
  Writer writer(file.path(), {});
  writer.write(info, std::vector<EncodedChunk>{chunk});
  EXPECT_EQ(attempt(Reader(file.path()), 0).status, Status::corrupt);
  EXPECT_EQ(stream(file.bytes()).status, Status::corrupt);
}

// A difference frame that refers to the previous frame as it should, but has one chunk more.
TEST(DamagedChain, WithAnotherNumberOfChunks) {
  const auto snapshots = trajectory(100, 2);
  TrajectoryEncoder encoder;
  set_plain(encoder);
  Bytes bytes = file_header({});
  std::uint64_t reference = 0;
  for (std::uint16_t f = 0; f < 2; ++f) {
    EncodedChunk chunk;
    encoder.encode(snapshots[f].inputs(), 100, nullptr, snapshots[f].info.box, f == 0, chunk);
    FrameInfo info = snapshots[f].info;
    for (const FieldInput &input : snapshots[f].inputs()) info.fields.push_back(input.field);
    for (Field &field : info.fields) fill_step(field);
    for (std::size_t k = 0; k < info.fields.size(); ++k) info.fields[k].largest_error = chunk.largest_error[k];
    info.since_key = f;
    info.reference = reference;
    std::vector<ChunkEntry> entries(1u + f, {chunk.particles, chunk.bytes.size(), chunk.checksum});
    info.particles = 100 * entries.size();
    const FrameRecord record = frame_record(info, entries);
    reference = record.checksum;
    bytes.insert(bytes.end(), record.prefix.begin(), record.prefix.end());
    for (std::size_t k = 0; k < entries.size(); ++k) bytes.insert(bytes.end(), chunk.bytes.begin(), chunk.bytes.end());
    bytes.insert(bytes.end(), record.trailer.begin(), record.trailer.end());
  }
  const Reader reader = reader_of(bytes);
  ASSERT_EQ(reader.frames(), 2u);
  expect_true(snapshots[0], reader.read(0));
  const Attempt got = attempt(reader, 1);
  EXPECT_EQ(got.status, Status::corrupt);
  EXPECT_NE(got.message.find("missing"), std::string::npos) << got.message;
  EXPECT_EQ(stream(bytes).status, Status::corrupt);
}

TEST(ChainReader, GivesTheSameInAnyOrder) {
  const Bytes bytes = chained_file(23, 7);
  const std::vector<Frame> frames = read_all(bytes);
  const Reader reader = reader_of(bytes);
  Random random(5);
  for (int round = 0; round < 4; ++round)
    for (const std::size_t i : any_order(frames.size(), random)) EXPECT_TRUE(same(reader.read(i), frames[i])) << i;
  for (std::size_t i = 0; i < frames.size(); i += 3) EXPECT_TRUE(same(reader.read(i), frames[i])) << i;

  const Streamed streamed = stream(bytes);
  EXPECT_EQ(streamed.status, Status::ok);
  ASSERT_EQ(streamed.frames.size(), frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_TRUE(same(streamed.frames[i], frames[i])) << i;
}

TEST(ChainReader, ServesSeveralThreads) {
  const Bytes bytes = chained_file(23, 7);
  const std::vector<Frame> frames = read_all(bytes);
  const Reader reader = reader_of(bytes);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Random random(t);
      for (const std::size_t i : any_order(frames.size(), random))
        if (!same(reader.read(i, static_cast<int>(1 + t % 2)), frames[i])) ++wrong;
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ChainReader, DecodesTheWantedFieldsOnly) {
  const Bytes bytes = chained_file(9, 9);
  const std::vector<Frame> frames = read_all(bytes);
  const Reader reader = reader_of(bytes);
  Random random(6);
  for (unsigned mask = 0; mask < 64; ++mask)
    for (const std::size_t i : {std::size_t{0}, 1 + random.below(8), std::size_t{8}}) {
      std::vector<bool> wanted;
      for (unsigned f = 0; f < 6; ++f) wanted.push_back((mask >> f & 1) != 0);
      const Frame frame = reader.read(i, 1, wanted);
      ASSERT_EQ(frame.columns.size(), frames[i].columns.size());
      for (std::size_t c = 0; c < frame.columns.size(); ++c) {
        const Frame::Column &all = frames[i].columns[c];
        const bool has = wanted[all.field];
        EXPECT_EQ(frame.columns[c].integers, has ? all.integers : std::vector<std::int64_t>()) << frame.name(all);
        EXPECT_EQ(frame.columns[c].floats, has ? all.floats : std::vector<double>()) << frame.name(all);
      }
    }
  EXPECT_EQ(status_of([&] { reader.read(3, 1, {true}); }), Status::invalid_argument);
  // Fields that were not wanted in one frame are there in the next.
  for (std::size_t i = 2; i < frames.size(); ++i) {
    reader.read(i - 1, 1, {false, true, false, true, false, false});
    EXPECT_TRUE(same(reader.read(i), frames[i])) << i;
  }
}

std::vector<int> since_keys(const Reader &reader) {
  std::vector<int> out;
  for (std::size_t i = 0; i < reader.frames(); ++i) out.push_back(reader.info(i).since_key);
  return out;
}

TEST(ChainWriter, AppendsAKeyFrame) {
  const auto snapshots = trajectory(100, 6);
  const TemporaryFile file;
  for (const bool close : {true, false}) {
    file.set(file_of({snapshots[0], snapshots[1], snapshots[2]}, 100, 1, close));
    {
      Writer writer(file.path(), {}, Writer::Mode::append);
      writer.set_key_interval(100);
      write_all(writer, {snapshots[3], snapshots[4], snapshots[5]});
    }
    const Reader reader(file.path());
    EXPECT_EQ(since_keys(reader), (std::vector<int>{0, 1, 2, 0, 1, 2}));
    for (std::size_t i = 0; i < 6; ++i) expect_true(snapshots[i], reader.read(i));
  }
}

TEST(ChainWriter, GoesOnWithAKeyFrameAfterAnError) {
  const auto snapshots = trajectory(100, 5);
  const TemporaryFile file;
  Writer writer(file.path(), {});
  writer.set_key_interval(100);
  write_all(writer, {snapshots[0], snapshots[1]});
  Snapshot bad = snapshots[2];
  bad.quantities[4].field.bound = -1;
  EXPECT_EQ(status_of([&] { write_all(writer, {bad}); }), Status::invalid_argument);
  write_all(writer, {snapshots[2]});

  // The disk is full for a while.
  struct rlimit before {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  auto *const handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit full = before;
  full.rlim_cur = writer.size() + 100;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  EXPECT_EQ(status_of([&] { write_all(writer, {snapshots[3]}); }), Status::io_error);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);

  write_all(writer, {snapshots[3], snapshots[4]});
  writer.close();
  const Reader reader(file.path());
  EXPECT_EQ(since_keys(reader), (std::vector<int>{0, 1, 0, 0, 1}));
  for (std::size_t i = 0; i < 5; ++i) expect_true(snapshots[i], reader.read(i));
}

}  // namespace
}  // namespace gpz::test::trajectory_chain_test
