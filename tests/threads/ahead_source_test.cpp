// SPDX-License-Identifier: BSD-3-Clause
// Reading ahead under every reader: the frames are those of the file in whatever order they are read, also where reads
// fail; few requests bring many frames.
#include "gpz/api/ahead_source.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "gpz/api/frames_ahead.hpp"
#include "gpz/gpz.h"
#include "tests/unit/counting_source.hpp"
#include "tests/unit/trajectory_support.hpp"

namespace gpz::test {
namespace {

using api::AheadSource;

Bytes numbers(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 37 + i / 251);
  return bytes;
}

Bytes read(const Source &source, std::uint64_t position, std::size_t size) {
  Bytes bytes(size, 0xEE);
  source.read_at(position, bytes.data(), size);
  return bytes;
}

Bytes part(const Bytes &bytes, std::size_t position, std::size_t size) {
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(position);
  return Bytes(begin, begin + static_cast<std::ptrdiff_t>(size));
}

TEST(AheadSource, BytesAreThoseOfTheSourceWhateverIsExpected) {
  const Bytes bytes = numbers(1000);
  CountingSource::Counts counts;
  AheadSource source(std::make_unique<CountingSource>(bytes, counts));
  EXPECT_EQ(source.name(), "memory");
  EXPECT_EQ(source.size(), 1000u);
  source.expect({});
  source.expect({{100, 50}, {150, 30}, {200, 10}});  // two of them touch
  EXPECT_EQ(read(source, 100, 80), part(bytes, 100, 80));
  EXPECT_EQ(read(source, 200, 10), part(bytes, 200, 10));
  EXPECT_EQ(read(source, 205, 0), Bytes());
  EXPECT_EQ(counts.requests, 1u);
  for (std::size_t position = 90; position < 220; ++position)
    for (const std::size_t size : {1u, 9u, 60u, 130u})
      ASSERT_EQ(read(source, position, size), part(bytes, position, size));
  source.read_now({{300, 20}});
  counts.requests = 0;
  EXPECT_EQ(read(source, 300, 20), part(bytes, 300, 20));
  EXPECT_EQ(read(source, 100, 10), part(bytes, 100, 10));  // the request before is still there
  EXPECT_EQ(counts.requests, 0u);
  source.read_now({{400, 20}});
  EXPECT_EQ(read(source, 100, 10), part(bytes, 100, 10));  // and was dropped now
  EXPECT_EQ(counts.requests, 2u);
  AheadSource without_thread(std::make_unique<CountingSource>(bytes, counts), false);
  counts.requests = 0;
  without_thread.expect({{100, 50}});
  EXPECT_EQ(counts.requests, 1u);
  EXPECT_EQ(read(without_thread, 100, 50), part(bytes, 100, 50));
  EXPECT_EQ(counts.requests, 1u);
  source.forget();
  EXPECT_EQ(read(source, 400, 20), part(bytes, 400, 20));
  EXPECT_EQ(counts.requests, 2u);
  Bytes pieces(10);
  source.read_pieces({{7, pieces.data(), 10}});
  EXPECT_EQ(pieces, part(bytes, 7, 10));
}

TEST(AheadSource, WhatCannotBeReadAheadIsReadLater) {
  const Bytes bytes = numbers(1000);
  CountingSource::Counts counts;
  counts.failing = 0;
  AheadSource source(std::make_unique<CountingSource>(bytes, counts));
  source.read_now({{100, 50}});  // is no error
  EXPECT_EQ(read(source, 100, 50), part(bytes, 100, 50));
  counts.failing = counts.requests;
  counts.failures = 2;
  source.read_now({{200, 50}});
  EXPECT_EQ(status_of([&] { read(source, 200, 50); }), Status::io_error);
  EXPECT_EQ(read(source, 200, 50), part(bytes, 200, 50));
}

TEST(AheadSource, ThreadsReadWhileOthersAreExpected) {
  const Bytes bytes = numbers(4096);
  CountingSource::Counts counts;
  AheadSource source(std::make_unique<CountingSource>(bytes, counts));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < 3; ++k)
    threads.emplace_back([&, k] {
      for (std::size_t position = k; position + 64 < bytes.size(); position += 16) {
        if (position % 64 < 16) source.expect({{position, 64}});
        if (read(source, position + 8, 40) != part(bytes, position + 8, 40)) ++wrong;
      }
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// A child has none of the threads of its parent, and reads without them.
TEST(AheadSource, AChildOfTheProcessReadsToo) {
  const Bytes bytes = chained_file(40, 5);
  CountingSource::Counts counts;
  const Reader reader(std::make_unique<CountingSource>(bytes, counts));
  const std::vector<Frame> frames = read_all(bytes);
  for (std::size_t i = 0; i < 4; ++i) reader.read(i);
  const pid_t child = fork();
  if (child == 0) {
    bool all_same = true;
    for (std::size_t i = 0; i < frames.size(); ++i) all_same = all_same && same(reader.read(i), frames[i]);
#ifndef __SANITIZE_THREAD__  // ThreadSanitizer ends a child that starts a thread
    {
      const Reader another(std::make_unique<CountingSource>(bytes, counts));
      for (std::size_t i = 0; i < frames.size(); ++i) all_same = all_same && same(another.read(i), frames[i]);
    }
#endif
    _exit(all_same ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_TRUE(same(reader.read(i), frames[i]));
}

std::vector<std::size_t> every(std::size_t step, std::size_t count) {
  std::vector<std::size_t> frames;
  for (std::size_t i = 0; i < count; i += step) frames.push_back(i);
  return frames;
}

// Too large to be read as a whole when it is opened.
Bytes large_file(int frames, unsigned interval) {
  constexpr std::size_t particles = 8000;
  Bytes bytes = chained_file(frames, interval, true, particles);
  EXPECT_GT(bytes.size(), 2 * (std::size_t{320} << 10));
  return bytes;
}

// Requests for the frames, without those for opening the file.
std::size_t requests_for(const Bytes &bytes, const std::vector<std::size_t> &order, std::size_t *read_bytes = nullptr) {
  static const std::vector<Frame> none;
  CountingSource::Counts counts;
  const Reader reader(std::make_unique<CountingSource>(bytes, counts));
  const std::vector<Frame> frames = read_all(bytes);
  counts.requests = counts.bytes = 0;
  for (const std::size_t i : order) EXPECT_TRUE(same(reader.read(i), frames[i])) << i;
  if (read_bytes != nullptr) *read_bytes = counts.bytes;
  return counts.requests;
}

TEST(ReadingAhead, TakesFewRequests) {
  constexpr std::size_t count = 200;
  constexpr unsigned interval = 50;
  for (const Bytes &bytes : {large_file(count, interval), large_file(count, 1)}) {
    // Every frame takes several requests otherwise. A few are ahead at the end.
    EXPECT_LT(requests_for(bytes, every(1, count)), 35u);
    EXPECT_LT(requests_for(bytes, every(7, count)), 45u);
  }
  // The second time as well, of which the reader has the last frames at first.
  std::vector<std::size_t> twice = every(1, 100);
  twice.insert(twice.end(), twice.begin(), twice.end());
  EXPECT_LT(requests_for(large_file(100, 1), twice), 50u);
  // From the key frame on, at once.
  EXPECT_LT(requests_for(large_file(count, interval), {interval - 1}), 12u);
  EXPECT_LT(requests_for(large_file(count, interval), {interval - 1, 2 * interval - 1, interval / 2}), 36u);
}

// Nobody pays for frames that are not asked for: a frame alone, in any order, from the last to the first.
TEST(ReadingAhead, ReadsNothingThatDoesNotFollow) {
  constexpr std::size_t count = 60;
  const Bytes bytes = large_file(count, 1);
  const std::vector<std::size_t> jumps = {7, 3, 40, 12, 11, 59, 0, 30, 31, 5};
  std::vector<std::size_t> backwards = every(1, count);
  std::reverse(backwards.begin(), backwards.end());
  for (const std::vector<std::size_t> &order : {std::vector<std::size_t>{17}, jumps, backwards}) {
    std::size_t read_bytes = 0;
    requests_for(bytes, order, &read_bytes);
    std::size_t needed = 0;
    for (const std::size_t i : order) needed += static_cast<std::size_t>(scan_bytes(bytes).frames[i].length);
    EXPECT_LE(read_bytes, needed + 200 * order.size());  // heads and trailers are read in parts
  }
}

// Threads that decode frames ahead, of several key intervals, read over the same source.
TEST(ReadingAhead, BelowThreadsThatDecodeAhead) {
  constexpr int count = 14;
  const Bytes bytes = file_of(trajectory(api::FramesAhead::least_particles, count), 4, 1, true, Order::id);
  const std::vector<Frame> frames = read_all(bytes);
  CountingSource::Counts counts;
  const Reader reader(std::make_unique<CountingSource>(bytes, counts));
  for (const int threads : {3, 1, 2})
    for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_TRUE(same(reader.read(i, {threads, false}), frames[i])) << i;
}

// What is verified is what the source has then, whatever was read before.
TEST(ReadingAhead, VerifyingReadsAnew) {
  constexpr std::size_t count = 12, read_before = 6;
  for (const std::size_t damaged : {read_before - 1, read_before, count - 1}) {
    const Bytes bytes = large_file(count, 1);
    CountingSource::Counts counts;
    const Reader reader(std::make_unique<CountingSource>(bytes, counts));
    for (std::size_t i = 0; i < read_before; ++i) reader.read(i);
    const IndexEntry frame = scan_bytes(bytes).frames[damaged];
    counts.damaged = frame.offset + frame.length - 20;
    EXPECT_EQ(status_of([&] { reader.verify(damaged); }), Status::corrupt) << damaged;
    counts.damaged = bytes.size();
    for (std::size_t i = 0; i < count; ++i) reader.verify(i);
    counts.damaged = frame.offset + frame.length - 20;
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(status_of([&] { reader.verify(i); }), i == damaged ? Status::corrupt : Status::ok) << i;
  }
}

// Each request fails once: the reader goes on, or says so and goes on with the next call.
TEST(ReadingAhead, RequestsThatFail) {
  constexpr std::size_t count = 24;
  const Bytes bytes = large_file(count, 6);
  const std::vector<Frame> frames = read_all(bytes);
  for (std::size_t failing = 0;; ++failing) {
    CountingSource::Counts counts;
    const Reader reader(std::make_unique<CountingSource>(bytes, counts));
    counts.failing = counts.requests + failing;
    std::size_t errors = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto read_it = [&] { EXPECT_TRUE(same(reader.read(i), frames[i])); };
      if (status_of(read_it) == Status::io_error) {
        ++errors;
        read_it();
      }
    }
    EXPECT_LE(errors, 1u);
    if (counts.requests <= counts.failing) break;
    ASSERT_LT(failing, 1000u);
  }
}

// Readers that are small keep what they may take.
TEST(ReadingAhead, StaysWithinTheLimit) {
  const Bytes bytes = chained_file(40, 5);
  const std::vector<Frame> frames = read_all(bytes);
  std::uint64_t largest = 0;
  for (const IndexEntry &frame : scan_bytes(bytes).frames) largest = std::max(largest, frame.length);
  CountingSource::Counts counts;
  Limits limits;
  limits.memory = 128 * largest;  // a request of one frame, or of a few
  const Reader reader(std::make_unique<CountingSource>(bytes, counts), limits);
  for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_TRUE(same(reader.read(i), frames[i]));
}

}  // namespace
}  // namespace gpz::test
