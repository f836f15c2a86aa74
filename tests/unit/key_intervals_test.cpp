// SPDX-License-Identifier: BSD-3-Clause
// Key intervals as they are encoded and decoded: digests of files, and the frames whose chunks each read decodes.
#include <mutex>
#include <utility>

#include "gpz/api/source.hpp"
#include "gpz/chunk.hpp"
#include "gpz/selection.hpp"
#include "matter_snapshot.hpp"
#include "molecule_trajectory_support.hpp"

namespace gpz::test::key_intervals_test {
namespace {

std::vector<Snapshot> gas(bool exchanged) {
  Gas particles(150);
  return trajectory(particles, 5, {}, [&](int) {
    particles.shuffle();
    if (!exchanged) return;
    particles.thin(0.03);
    particles.add(6);
  });
}

std::vector<Snapshot> melt(bool exchanged) {
  LennardJones matter(3, 1.0, 0.3, 5);
  std::vector<Snapshot> out;
  for (int f = 0; f < 5; ++f) {
    matter.run(10);
    out.push_back(snapshot_of(matter, f, 0.001, exchanged));
  }
  return out;
}

// Without inertia, so that steps are the smallest coding in all frames.
std::vector<Snapshot> molecules(bool exchanged, std::size_t count) {
  Waters matter(count, 0, 3);
  std::vector<Snapshot> out;
  for (int f = 0; f < 5; ++f) {
    out.push_back(snapshot_of(matter, f, 0.01, exchanged));
    out.back().quantities.pop_back();
    for (Vector &v : matter.velocity)
      for (double &x : v) x = 0.1 * matter.normal();
    matter.move();
  }
  return out;
}
std::vector<Snapshot> water(bool exchanged) { return molecules(exchanged, 400); }

// The digest of the frames of all orders and of several key intervals, whose values are within their bounds.
std::uint64_t digest_of(const std::vector<Snapshot> &snapshots, Effort effort, const std::string &by) {
  Bytes checksums;
  for (const Order order : {Order::place, Order::id, Order::memory})
    for (const unsigned interval : {1, 3}) {
      const Bytes bytes = file_by(snapshots, effort, order, 1, interval);
      const Reader reader = reader_of(bytes);
      EXPECT_EQ(reader.frames(), snapshots.size());
      for (std::size_t i = 0; i < reader.frames(); ++i) {
        expect_true(snapshots[i], reader.read(i), by);
        checksums.resize(checksums.size() + 8);
        // Of the head, which has the checksums of the chunks.
        put_u64(checksums, checksums.size() - 8, reader.stored(i).checksum);
      }
    }
  return chunk_checksum(checksums.data(), checksums.size());
}

struct Case {
  const char *name;
  std::vector<Snapshot> (*snapshots)(bool exchanged);
  bool exchanged;
  const char *by;
  std::uint64_t fast, standard, dense;
};

class KeyIntervalBytes : public testing::TestWithParam<Case> {};

// The digests pin what encoders make of each key interval. A change of them is a change of what writers write.
TEST_P(KeyIntervalBytes, AreThoseOfTheDigest) {
  const Case &c = GetParam();
  const std::vector<Snapshot> snapshots = c.snapshots(c.exchanged);
  EXPECT_EQ(digest_of(snapshots, Effort::fast, c.by), c.fast);
  EXPECT_EQ(digest_of(snapshots, Effort::standard, c.by), c.standard);
  EXPECT_EQ(digest_of(snapshots, Effort::dense, c.by), c.dense);
}

constexpr Case cases[] = {
    {"gas", gas, false, "tag", 0x3a39691bc5232a87U, 0xa357db91f886e6e7U, 0xa357db91f886e6e7U},
    {"gas_exchanged", gas, true, "tag", 0x34fe46aaf3194997U, 0xbb761d3c1ac0de0bU, 0xe0a15b9d3b992b92U},
    {"melt", melt, false, "id", 0xa85cecb8dc524ffbU, 0x9b0e3a6509509f83U, 0x1b3be1874f1d94ebU},
    {"melt_exchanged", melt, true, "id", 0x64407285ad9712c4U, 0x5bb1bbd8391e3193U, 0xa225f2154fd562d2U},
    {"water", water, false, "id", 0xdd4f9d159f28bfd1U, 0xaf1514299466adecU, 0x1d2af4dd1ee6e6deU},
    {"water_exchanged", water, true, "id", 0xa4bc314ee470792bU, 0x27301decad995c5fU, 0x6d40de3a80a8242aU},
};
INSTANTIATE_TEST_SUITE_P(Of, KeyIntervalBytes, testing::ValuesIn(cases),
                         [](const testing::TestParamInfo<Case> &of) { return std::string(of.param.name); });

TEST(KeyIntervals, OfMoleculesAreInSteps) {
  for (const bool exchanged : {false, true})
    EXPECT_GT(frames_of_molecules(file_by(water(exchanged), Effort::standard, Order::id, 1, 3)), 0u);
}

// Notes the frames whose chunks are read. A frame is decoded as often as its chunk is read. Files in memory are not
// read ahead.
class NotingSource final : public api::MemorySource {
 public:
  explicit NotingSource(const Bytes &bytes) : MemorySource(bytes.data(), bytes.size(), "memory") {
    const Reader reader = reader_of(bytes);
    for (std::size_t i = 0; i < reader.frames(); ++i) {
      std::vector<ChunkEntry> chunks;
      reader.info(i, &chunks);
      const IndexEntry &frame = reader.scan().frames[i];
      bodies_.emplace_back(frame.offset, chunks.at(0).length);
    }
  }
  void read_at(std::uint64_t position, void *data, std::size_t size) const override {
    MemorySource::read_at(position, data, size);
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::size_t i = bodies_.size(); i-- > 0;)
      if (position > bodies_[i].first) {
        if (size == bodies_[i].second) frames_.push_back(i);
        return;
      }
  }
  std::vector<std::size_t> take() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(frames_, {});
  }

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> bodies_;  // offset of the frame, length of its chunk
  mutable std::mutex mutex_;
  mutable std::vector<std::size_t> frames_;
};

using Frames = std::vector<std::size_t>;

struct Read {
  std::size_t frame;
  std::vector<bool> wanted;
  ReadOptions options;
};

// The frames that are decoded by reads of one reader after the other.
Frames decoded_by(const Bytes &bytes, const std::vector<Read> &reads) {
  const auto source = std::make_shared<NotingSource>(bytes);
  const std::vector<Frame> whole = read_all(bytes);
  const Reader reader(source);
  source->take();
  for (const Read &read : reads) {
    const Frame frame = reader.read(read.frame, read.options, read.wanted);
    EXPECT_EQ(frame.info.timestep, whole[read.frame].info.timestep);
    if (read.wanted.empty() && read.options.selection == nullptr && !read.options.sort_by_id) {
      EXPECT_TRUE(same(frame, whole[read.frame])) << read.frame;
    }
  }
  return source->take();
}

Frames decoded_by(const Bytes &bytes, const Frames &frames) {
  std::vector<Read> reads;
  for (const std::size_t i : frames) reads.push_back({i, {}, {}});
  return decoded_by(bytes, reads);
}

// Key frames 0, 4 and 8.
Bytes small_intervals() { return chained_file(10, 4); }

TEST(KeyIntervals, OfALoopAreDecodedOnce) {
  const Frames all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(decoded_by(small_intervals(), all), all);
}

TEST(KeyIntervals, AreDecodedUpToTheFrameThatIsRead) {
  EXPECT_EQ(decoded_by(small_intervals(), Frames{6}), (Frames{4, 5, 6}));
  EXPECT_EQ(decoded_by(small_intervals(), Frames{6, 7, 7}), (Frames{4, 5, 6, 7}));
  EXPECT_EQ(decoded_by(small_intervals(), Frames{5, 7}), (Frames{4, 5, 6, 7}));
  EXPECT_EQ(decoded_by(small_intervals(), Frames{3, 2, 1, 0}), (Frames{0, 1, 2, 3, 0, 1, 2, 0, 1, 0}));
  EXPECT_EQ(decoded_by(small_intervals(), Frames{1, 4, 7, 9}), (Frames{0, 1, 4, 5, 6, 7, 8, 9}));
}

TEST(KeyIntervals, OfKeyFramesAloneAreReadOneByOne) {
  const Bytes bytes = chained_file(6, 1);
  EXPECT_EQ(decoded_by(bytes, Frames{0, 1, 2, 3, 4, 5}), (Frames{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(decoded_by(bytes, Frames{4, 1, 1}), (Frames{4, 1}));
}

// A key frame, read again and again as a reference, does not disturb a loop.
TEST(KeyIntervals, AreKeptWhileKeyFramesAreRead) {
  EXPECT_EQ(decoded_by(small_intervals(), Frames{5, 0, 6, 0, 7, 0}), (Frames{4, 5, 0, 6, 7}));
}

TEST(KeyIntervals, FollowTheFieldsThatAreReadInTurn) {
  std::vector<bool> positions(6), velocities(6);
  positions[0] = velocities[4] = true;
  const auto read = [](std::size_t i, const std::vector<bool> &wanted) { return Read{i, wanted, {}}; };
  EXPECT_EQ(
      decoded_by(small_intervals(), {read(1, positions), read(1, velocities), read(2, positions), read(2, velocities)}),
      (Frames{0, 1, 0, 1, 2}));
}

TEST(KeyIntervals, OfSelectedParticles) {
  const Bytes bytes = file_by(molecules(false, 6200), Effort::standard, Order::id, 1, 4);
  ReadOptions first, last;
  auto ids = std::make_shared<Selection>();
  ids->ids.emplace().add("1:60");
  first.selection = ids;
  ids = std::make_shared<Selection>();
  ids->ids.emplace().add("18000:");
  last.selection = ids;
  EXPECT_EQ(decoded_by(bytes, {{1, {}, first}, {2, {}, first}, {3, {}, first}}), (Frames{0, 1, 2, 3}));
  // Those of two selections in turn are followed with all others.
  EXPECT_EQ(decoded_by(bytes, {{1, {}, first}, {1, {}, last}, {2, {}, first}, {2, {}, last}}), (Frames{0, 1, 0, 1, 2}));
}

TEST(KeyIntervals, AreReadAnewToBeVerified) {
  const Bytes bytes = small_intervals();
  const auto source = std::make_shared<NotingSource>(bytes);
  const Reader reader(source);
  source->take();
  for (const std::size_t i : {5, 5, 6}) reader.verify(i);
  EXPECT_EQ(source->take(), (Frames{4, 5, 4, 5, 6}));
}

TEST(KeyIntervals, OfAStreamAreThoseOfTheFile) {
  for (const unsigned interval : {1, 3, 100}) {
    const Bytes bytes = chained_file(8, interval);
    const std::vector<Frame> whole = read_all(bytes);
    const Streamed streamed = stream(bytes);
    ASSERT_EQ(streamed.frames.size(), whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_TRUE(same(streamed.frames[i], whole[i])) << i;
  }
}

}  // namespace
}  // namespace gpz::test::key_intervals_test
