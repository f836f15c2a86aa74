// SPDX-License-Identifier: BSD-3-Clause
// CachedSource: the bytes are those of the other source, in few requests, for several threads, and also where requests
// fail; what is kept is bounded.
#include "gpz/cached_source.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "tests/unit/counting_source.hpp"
#include "tests/unit/trajectory_support.hpp"

namespace gpz::test {
namespace {

constexpr std::size_t block = 1024;

CacheOptions options_of(std::uint64_t memory, std::uint64_t gap = 0) {
  CacheOptions options;
  options.memory = memory;
  options.block = block;
  options.gap = gap;
  return options;
}

Bytes numbers(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 37 + i / 251);
  return bytes;
}

bool is_right(const Source &source, const Bytes &bytes, std::size_t position, std::size_t size) {
  Bytes got(size, 0xEE);
  source.read_at(position, got.data(), size);
  return std::equal(got.begin(), got.end(), bytes.begin() + static_cast<std::ptrdiff_t>(position));
}

struct Cached {
  explicit Cached(std::size_t size, const CacheOptions &options)
      : bytes(numbers(size)), source(std::make_shared<CountingSource>(bytes, counts), options) {}

  Bytes bytes;
  CountingSource::Counts counts;
  CachedSource source;
};

TEST(CachedSources, HaveTheBytesOfTheOtherSource) {
  for (const std::size_t size : {1u, 1023u, 1024u, 1025u, 20'000u})
    for (const std::size_t memory : {0u, 1u << 12, 1u << 20}) {
      Cached cached(size, options_of(memory));
      EXPECT_EQ(cached.source.size(), size);
      EXPECT_EQ(cached.source.name(), "memory");
      Random random(3);
      for (int k = 0; k < 200; ++k) {
        const std::size_t position = random.below(size);
        ASSERT_TRUE(is_right(cached.source, cached.bytes, position, random.below(size - position + 1)));
      }
      EXPECT_TRUE(is_right(cached.source, cached.bytes, size, 0));
      EXPECT_EQ(status_of([&] { is_right(cached.source, cached.bytes, size, 1); }), Status::truncated);
      EXPECT_EQ(status_of([&] { is_right(cached.source, cached.bytes, ~std::size_t{0}, 2); }), Status::truncated);
    }
  EXPECT_EQ(status_of([] { CachedSource(nullptr); }), Status::invalid_argument);
  EXPECT_EQ(status_of([] {
              CacheOptions options;
              options.block = 511;
              CachedSource(std::make_shared<api::MemorySource>(nullptr, 0, "none"), options);
            }),
            Status::invalid_argument);
}

TEST(CachedSources, ReadABlockOnce) {
  Cached cached(20 * block, options_of(1 << 20));
  EXPECT_TRUE(is_right(cached.source, cached.bytes, 2 * block + 5, 10));
  EXPECT_TRUE(is_right(cached.source, cached.bytes, 2 * block, block));
  EXPECT_EQ(cached.counts.requests, 1u);
  EXPECT_EQ(cached.counts.bytes, block);
  EXPECT_TRUE(is_right(cached.source, cached.bytes, block + 5, 3 * block));  // blocks 1 to 4, of which 2 is there
  EXPECT_EQ(cached.counts.requests, 2u);
  EXPECT_EQ(cached.counts.bytes, 4 * block);
  EXPECT_EQ(cached.source.counts().requests, 2u);
  EXPECT_EQ(cached.source.counts().ranges, 3u);
  EXPECT_EQ(cached.source.counts().bytes, 4 * block);
  cached.source.forget();
  EXPECT_TRUE(is_right(cached.source, cached.bytes, 2 * block, block));
  EXPECT_EQ(cached.counts.requests, 3u);
}

TEST(CachedSources, JoinRangesThatAreClose) {
  for (const std::size_t gap : {0u, 2u}) {
    Cached cached(20 * block, options_of(1 << 20, gap * block));
    Bytes got(4 * block);
    cached.source.read_pieces({{0, got.data(), block},
                               {3 * block, got.data() + block, block},
                               {4 * block, got.data() + 2 * block, 0},
                               {8 * block, got.data() + 2 * block, 2 * block}});
    EXPECT_TRUE(std::equal(got.begin(), got.begin() + block, cached.bytes.begin()));
    EXPECT_TRUE(std::equal(got.begin() + block, got.begin() + 2 * block, cached.bytes.begin() + 3 * block));
    EXPECT_TRUE(std::equal(got.begin() + 2 * block, got.end(), cached.bytes.begin() + 8 * block));
    EXPECT_EQ(cached.counts.requests, 1u);
    EXPECT_EQ(cached.source.counts().ranges, gap == 0 ? 3u : 2u);
    EXPECT_EQ(cached.counts.bytes, (4 + gap) * block);
    // The bytes between were read and are kept.
    EXPECT_TRUE(is_right(cached.source, cached.bytes, block, block));
    EXPECT_EQ(cached.counts.requests, gap == 0 ? 2u : 1u);
  }
}

TEST(CachedSources, DropWhatWasUsedLongestAgo) {
  Cached cached(20 * block, options_of(4 * block));
  for (const std::size_t number : {0u, 1u, 2u, 3u, 0u, 4u})
    EXPECT_TRUE(is_right(cached.source, cached.bytes, number * block, 1));
  EXPECT_EQ(cached.counts.requests, 5u);
  EXPECT_TRUE(is_right(cached.source, cached.bytes, 0, 1));
  EXPECT_EQ(cached.counts.requests, 5u);
  EXPECT_TRUE(is_right(cached.source, cached.bytes, block, 1));
  EXPECT_EQ(cached.counts.requests, 6u);
  // More than half of the memory is read as it is asked for, and drops nothing.
  cached.counts.bytes = 0;
  EXPECT_TRUE(is_right(cached.source, cached.bytes, 10 * block + 7, 3 * block));
  EXPECT_EQ(cached.counts.bytes, 3 * block);
  EXPECT_TRUE(is_right(cached.source, cached.bytes, 0, 1));
  EXPECT_EQ(cached.counts.requests, 7u);
}

// Their blocks, and the gaps between them, would take more memory than is allowed.
TEST(CachedSources, ManySmallPiecesFarApartAreReadAsTheyAre) {
  constexpr std::size_t count = 100, distance = 3 * block;
  for (const std::size_t gap : {std::size_t{0}, 4 * block}) {
    Cached cached(count * distance, options_of(100 * block, gap));
    Bytes got(count);
    std::vector<Source::Piece> pieces;
    for (std::size_t k = 0; k < count; ++k) pieces.push_back({k * distance, &got[k], 1});
    cached.source.read_pieces(pieces);
    for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(got[k], cached.bytes[k * distance]) << k;
    EXPECT_EQ(cached.counts.bytes, count);
    // Few of them are read in blocks: with the gaps between them if these are short.
    pieces.resize(10);
    cached.source.read_pieces(pieces);
    EXPECT_EQ(cached.counts.bytes, count + (gap == 0 ? 10 : 9 * 3 + 1) * block);
  }
}

TEST(CachedSources, FailuresAreThoseOfTheOtherSource) {
  Cached cached(20 * block, options_of(1 << 20));
  cached.counts.failing = 0;
  const auto read = [&] { EXPECT_TRUE(is_right(cached.source, cached.bytes, 5, 3 * block)); };
  EXPECT_EQ(status_of(read), Status::io_error);
  read();
  EXPECT_EQ(cached.counts.requests, 2u);
}

// A source whose first request waits for others to come.
class WaitingSource final : public Source {
 public:
  explicit WaitingSource(const Bytes &bytes) : whole_(bytes.data(), bytes.size(), "memory") {}
  const std::string &name() const override { return whole_.name(); }
  std::uint64_t size() const override { return whole_.size(); }
  void read_at(std::uint64_t position, void *data, std::size_t size) const override {
    std::unique_lock<std::mutex> lock(mutex_);
    const bool is_first = requests++ == 0;
    changed_.notify_all();
    changed_.wait(lock, [&] { return is_released_ || !is_first; });
    if (is_first && fails) throw Error(Status::io_error, "the first request", name(), position);
    whole_.read_at(position, data, size);
  }
  void wait_for_request() const {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return requests > 0; });
  }
  void release() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_released_ = true;
    changed_.notify_all();
  }

  mutable std::size_t requests = 0;
  bool fails = false;

 private:
  api::MemorySource whole_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool is_released_ = false;
};

TEST(CachedSources, ThreadsWaitForARequestThatIsUnderWay) {
  for (const bool fails : {false, true}) {
    const Bytes bytes = numbers(4 * block);
    const auto waiting = std::make_shared<WaitingSource>(bytes);
    waiting->fails = fails;
    CachedSource source(waiting, options_of(1 << 20));
    std::atomic<int> failed{0}, right{0};
    const auto read = [&] {
      try {
        right += is_right(source, bytes, 5, 10) ? 1 : 0;
      } catch (const Error &) {
        ++failed;
      }
    };
    std::thread first(read);
    waiting->wait_for_request();
    std::thread second(read), third(read);
    waiting->release();
    first.join();
    second.join();
    third.join();
    // Whoever waits for a request that fails makes its own.
    EXPECT_EQ(failed, fails ? 1 : 0);
    EXPECT_EQ(right, fails ? 2 : 3);
    EXPECT_EQ(waiting->requests, fails ? 2u : 1u);
  }
}

TEST(CachedSources, ThreadsReadWhileBlocksAreDropped) {
  Cached cached(64 * block, options_of(8 * block, block));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < 3; ++k)
    threads.emplace_back([&, k] {
      Random random(k);
      for (int turn = 0; turn < 500; ++turn) {
        const std::size_t position = random.below(60 * block);
        if (!is_right(cached.source, cached.bytes, position, random.below(4 * block))) ++wrong;
        if (turn % 100 == 0) cached.source.forget();
      }
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(CachedSources, AChildOfTheProcessReadsToo) {
  Cached cached(20 * block, options_of(1 << 20));
  EXPECT_TRUE(is_right(cached.source, cached.bytes, 5, 10));
  const pid_t child = fork();
  if (child == 0) _exit(is_right(cached.source, cached.bytes, 2, 3000) ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// --- Readers over sources whose requests take long ---

struct Distant {
  explicit Distant(const Bytes &given)
      : bytes(given),
        frames(read_all(bytes)),
        lengths(scan_bytes(bytes).frames),
        reader(std::make_shared<CountingSource>(bytes, counts)) {}

  // Requests that it takes to read these frames.
  std::size_t requests(const std::vector<std::size_t> &order) {
    counts.requests = counts.bytes = 0;
    for (const std::size_t i : order) EXPECT_TRUE(same(reader.read(i), frames[i])) << i;
    return counts.requests;
  }
  std::size_t size_of(std::size_t first, std::size_t last) const {
    return static_cast<std::size_t>(lengths[last].offset + lengths[last].length - lengths[first].offset);
  }

  Bytes bytes;
  CountingSource::Counts counts;
  std::vector<Frame> frames;
  std::vector<IndexEntry> lengths;
  Reader reader;
};

// 40 frames of some 100 KB, every fifth a key frame.
Bytes large_file() { return file_of(trajectory(12'000, 40), 5, 1, true, Order::id); }

TEST(DistantSources, AreOpenedWithOneRequest) {
  Distant distant(large_file());
  EXPECT_EQ(distant.counts.requests, 1u);
  EXPECT_LE(distant.counts.bytes, 320u << 10);
  ASSERT_GT(distant.bytes.size(), 2u << 20);
}

TEST(DistantSources, AFrameTakesOneRequestForItsKeyInterval) {
  Distant distant(large_file());
  EXPECT_LE(distant.requests({13}), 2u);  // the head says where the key frame is
  EXPECT_LE(distant.counts.bytes, distant.size_of(10, 13) + 8192);
  EXPECT_EQ(distant.requests({24}), 1u);
  EXPECT_EQ(distant.counts.bytes, distant.size_of(20, 24));
  EXPECT_EQ(distant.requests({30}), 1u);
  EXPECT_EQ(distant.counts.bytes, distant.size_of(30, 30));
}

TEST(DistantSources, ALoopWithGapsReadsNoFramesBehindThoseItNeeds) {
  Distant distant(large_file());
  distant.requests({3, 12, 21, 30});
  EXPECT_LE(distant.counts.bytes,
            distant.size_of(0, 3) + distant.size_of(10, 12) + distant.size_of(20, 21) + distant.size_of(30, 30) + 8192);
}

TEST(DistantSources, HeadsOfAllFramesAreReadInFewRequests) {
  Distant distant(large_file());
  distant.counts.requests = distant.counts.bytes = 0;
  for (std::size_t i = 0; i < distant.frames.size(); ++i)
    EXPECT_EQ(distant.reader.info(i).timestep, distant.frames[i].info.timestep);
  EXPECT_LT(distant.counts.requests, 20u);
}

TEST(DistantSources, ObservablesOfAllFramesAreReadInFewRequests) {
  constexpr std::size_t frames = 60;
  Bytes bytes;
  Writer writer(bytes, small_metadata());
  writer.set_key_interval(1);
  const Frame frame = read_all(file_of(trajectory(4'000, 1), 1))[0];
  for (std::size_t i = 0; i < frames; ++i) {
    Frame next = frame;
    next.info.timestep = static_cast<std::int64_t>(i);
    writer.write(next.info.timestep, {{"Temp", "", static_cast<double>(i)}});
    writer.write(next);
  }
  writer.close();
  CountingSource::Counts counts;
  const Reader reader(std::make_shared<CountingSource>(bytes, counts));
  counts.requests = 0;
  for (std::size_t i = 0; i < frames; ++i) EXPECT_EQ(reader.observables(i).at(0).value, static_cast<double>(i));
  EXPECT_GT(bytes.size(), std::size_t{1} << 20);
  EXPECT_LT(counts.requests, 12u);
}

TEST(DistantSources, DamageOnTheWayIsReadAgain) {
  Distant distant(large_file());
  distant.counts.damaged = distant.lengths[20].offset + distant.lengths[20].length - 100;
  EXPECT_EQ(status_of([&] { distant.reader.read(20); }), Status::corrupt);
  distant.counts.damaged = distant.bytes.size();
  EXPECT_TRUE(same(distant.reader.read(20), distant.frames[20]));
}

}  // namespace
}  // namespace gpz::test
