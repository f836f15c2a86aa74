// SPDX-License-Identifier: BSD-3-Clause
// Number streams that a GPU encodes: the CPU's bytes, whatever the segments and numbers are, and nothing beyond them.
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "allocation_spy.hpp"
#include "gpu_support.hpp"
#include "gpz/codec/number_coder.hpp"
#include "gpz/cuda/numbers/segment_encoder.hpp"

namespace gpz::test {
namespace {

using Engine = std::mt19937_64;
using Segments = std::vector<std::vector<std::uint64_t>>;  // of items

std::uint64_t item_of(std::uint64_t place, std::uint32_t number) { return place << codec::item_place_shift | number; }

struct Numbers {
  Segments segments;
  unsigned contexts = 1;
  std::vector<std::uint8_t> table;  // context of each place; empty: places are contexts

  const std::uint8_t *by_place() const { return table.empty() ? nullptr : table.data(); }
  std::size_t places() const { return table.empty() ? contexts : table.size(); }
  unsigned context_of(std::uint64_t item) const {
    const std::uint64_t place = item >> codec::item_place_shift;
    return static_cast<unsigned>(table.empty() ? place : table[place]);
  }
};

std::vector<std::uint8_t> on_cpu(const Numbers &numbers) {
  Segments items = numbers.segments;  // they are changed
  std::vector<codec::NumberSegment> segments;
  for (auto &segment : items) segments.push_back({segment.data(), segment.size()});
  std::vector<std::uint8_t> bytes;
  codec::append_segments(segments, numbers.contexts, numbers.by_place(), 1, bytes);
  return bytes;
}

// Numbers in device memory. Each segment begins up to `gap` items behind the end of the one before.
class DeviceItems {
 public:
  explicit DeviceItems(const Numbers &numbers, std::size_t gap = 0) {
    std::vector<std::uint64_t> items;
    std::vector<std::uint64_t> begins;
    std::vector<std::uint32_t> counts;
    Engine random(numbers.segments.size() + gap);
    for (const auto &segment : numbers.segments) {
      items.resize(items.size() + random() % (gap + 1), ~std::uint64_t{0});
      begins.push_back(items.size());
      counts.push_back(static_cast<std::uint32_t>(segment.size()));
      items.insert(items.end(), segment.begin(), segment.end());
    }
    const auto copied = [](const auto &from) {
      return std::make_unique<DeviceMemory>(from.data(), from.size() * sizeof(from[0]));
    };
    items_ = copied(items);
    begins_ = copied(begins);
    counts_ = copied(counts);
    view_ = {items_->as<std::uint64_t>(), begins_->as<std::uint64_t>(), counts_->as<std::uint32_t>(),
             static_cast<std::uint32_t>(begins.size()), items.size()};
  }
  const cuda::DeviceNumbers &view() const { return view_; }

 private:
  std::unique_ptr<DeviceMemory> items_;
  std::unique_ptr<DeviceMemory> begins_;
  std::unique_ptr<DeviceMemory> counts_;
  cuda::DeviceNumbers view_{};
};

std::vector<std::uint8_t> on_gpu(cuda::SegmentEncoder &encoder, const Numbers &numbers, std::size_t gap = 0,
                                 cudaStream_t stream = nullptr) {
  const DeviceItems items(numbers, gap);
  const std::size_t size = encoder.encode(items.view(), numbers.contexts, numbers.by_place(), numbers.places(), stream);
  const DeviceMemory out(size + sizeof(std::uint64_t));
  encoder.write(out.get(), stream);
  check(cudaStreamSynchronize(stream));
  std::vector<std::uint8_t> bytes = out.bytes();
  for (std::size_t i = size; i < bytes.size(); ++i) EXPECT_EQ(bytes[i], DeviceMemory::pattern) << "behind the stream";
  bytes.resize(size);
  return bytes;
}

void expect_numbers(const std::vector<std::uint8_t> &bytes, const Numbers &numbers) {
  std::vector<codec::NumberDecoder> streams =
      codec::open_segments(bytes.data(), bytes.size(), numbers.contexts, numbers.segments.size());
  for (std::size_t s = 0; s < streams.size(); ++s) {
    for (const std::uint64_t item : numbers.segments[s])
      ASSERT_EQ(streams[s].get(numbers.context_of(item)), static_cast<std::uint32_t>(item)) << "segment " << s;
    streams[s].end();
  }
}

void expect_as_on_cpu(cuda::SegmentEncoder &encoder, const Numbers &numbers, std::size_t gap = 0,
                      cudaStream_t stream = nullptr) {
  std::size_t count = 0;
  for (const auto &segment : numbers.segments) count += segment.size();
  SCOPED_TRACE(testing::Message() << numbers.segments.size() << " segments, " << count << " numbers, "
                                  << numbers.contexts << " contexts, gaps up to " << gap);
  const std::vector<std::uint8_t> expected = on_cpu(numbers);
  const std::vector<std::uint8_t> bytes = on_gpu(encoder, numbers, gap, stream);
  ASSERT_EQ(bytes.size(), expected.size());
  const auto [differs, ignored] = std::mismatch(bytes.begin(), bytes.end(), expected.begin());
  ASSERT_EQ(differs - bytes.begin(), static_cast<std::ptrdiff_t>(bytes.size())) << "the first byte that differs";
  expect_numbers(bytes, numbers);
}

// Residuals whose scale grows from context to context by `octaves` in all.
std::uint32_t residual(Engine &random, unsigned context, unsigned contexts, double octaves) {
  const double scale = std::exp2(octaves * (context + 1) / contexts);
  const double value = std::abs(std::normal_distribution<double>(0, scale)(random));
  return static_cast<std::uint32_t>(std::min(value, 4294967295.0));
}

struct Shape {
  std::size_t segments = 1;
  std::size_t longest = 1000;
  unsigned contexts = 8;
  double octaves = 12;
  std::size_t places = 0;  // 0: no table
};

// A tenth of the segments is empty, and a tenth has one number.
Numbers random_numbers(const Shape &shape, std::uint64_t seed) {
  Engine random(seed);
  Numbers made;
  made.contexts = shape.contexts;
  for (std::size_t p = 0; p < shape.places; ++p)
    made.table.push_back(static_cast<std::uint8_t>(random() % shape.contexts));
  made.segments.resize(shape.segments);
  for (auto &segment : made.segments) {
    const auto kind = random() % 10;
    const std::size_t count = kind == 0 ? 0 : kind == 1 ? 1 : 1 + random() % shape.longest;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t place = random() % made.places();
      const unsigned context = made.context_of(item_of(place, 0));
      segment.push_back(item_of(place, residual(random, context, shape.contexts, shape.octaves)));
    }
  }
  return made;
}

using CudaNumbers = GpuTest;

TEST_F(CudaNumbers, BytesOfTheCpu) {
  cuda::SegmentEncoder encoder;
  const OwnStream stream;
  std::uint64_t seed = 0;
  for (const unsigned contexts : {1u, 2u, 7u, 40u, 109u})
    for (const std::size_t segments : {1u, 2u, 63u, 64u, 65u, 700u})
      for (const std::size_t longest : {1u, 3u, 40u, 2000u})
        expect_as_on_cpu(encoder, random_numbers({segments, longest, contexts}, ++seed), longest % 3 * 5, stream.get());
  expect_healthy();
}

// Every length, with segments that begin at every place of a cache line.
TEST_F(CudaNumbers, ShortSegments) {
  cuda::SegmentEncoder encoder;
  for (const double octaves : {1.0, 31.5}) {
    Engine random(3);
    Numbers made;
    for (std::size_t length = 0; length < 140; ++length)
      for (int repeat = 0; repeat < 20; ++repeat) {
        made.segments.emplace_back();
        for (std::size_t i = 0; i < length; ++i)
          made.segments.back().push_back(item_of(0, residual(random, 0, 1, octaves)));
      }
    std::shuffle(made.segments.begin(), made.segments.end(), random);
    for (const std::size_t gap : {0u, 1u, 17u}) expect_as_on_cpu(encoder, made, gap);
  }
  expect_healthy();
}

TEST_F(CudaNumbers, AreNoneOrHaveNoNumbers) {
  cuda::SegmentEncoder encoder;
  Numbers made;
  made.contexts = 3;
  expect_as_on_cpu(encoder, made);
  for (const std::size_t segments : {1u, 2u, 5u}) {
    made.segments.resize(segments);
    expect_as_on_cpu(encoder, made);
  }
  made.segments[3] = {item_of(2, 7)};
  expect_as_on_cpu(encoder, made);
  expect_healthy();
}

TEST_F(CudaNumbers, OfOneValue) {
  cuda::SegmentEncoder encoder;
  for (const std::uint32_t value : {0u, 1u, 15u, 16u, 1000u, 0x7FFFFFFFu, 0xFFFFFFFFu})
    for (const std::size_t length : {1u, 15u, 16u, 5000u}) {
      Numbers made;
      made.segments.assign(7, std::vector<std::uint64_t>(length, item_of(0, value)));
      expect_as_on_cpu(encoder, made, 3);
    }
  expect_healthy();
}

// Also numbers that the tables leave to the escape, with 32 raw bits each.
TEST_F(CudaNumbers, OfAllSizes) {
  cuda::SegmentEncoder encoder;
  Engine random(4);
  const auto any_number = [&] { return static_cast<std::uint32_t>(random()) >> random() % 32; };
  for (const unsigned rare : {1u, 50u, 5000u}) {
    Numbers made;
    made.contexts = 5;
    made.segments.resize(40);
    for (auto &segment : made.segments)
      for (std::size_t i = random() % 3000; i-- > 0;) {
        const auto context = static_cast<unsigned>(random() % made.contexts);
        segment.push_back(item_of(context, random() % rare == 0 ? any_number() : residual(random, context, 5, 9)));
      }
    expect_as_on_cpu(encoder, made, 2);
  }
  Numbers largest;
  largest.segments.resize(9);
  for (auto &segment : largest.segments)
    for (std::size_t i = random() % 2000; i-- > 0;)
      segment.push_back(item_of(0, 0xFFFFFFFFu - static_cast<std::uint32_t>(random() % 2)));
  expect_as_on_cpu(encoder, largest);
  expect_healthy();
}

TEST_F(CudaNumbers, OfDifferentScales) {
  cuda::SegmentEncoder encoder;
  for (const double octaves : {0.5, 20.0, 31.5})
    expect_as_on_cpu(encoder, random_numbers({50, 3000, 40, octaves}, 8), 9);
  expect_healthy();
}

TEST_F(CudaNumbers, PlacesOfContexts) {
  cuda::SegmentEncoder encoder;
  for (const std::size_t places : {1u, 40u, 500u, 4096u})
    expect_as_on_cpu(encoder, random_numbers({80, 2000, 30, 12, places}, places), 4);
  const Numbers numbers = random_numbers({3, 10, 3, 5, 4097}, 1);
  EXPECT_EQ(status_of([&] { on_gpu(encoder, numbers); }), Status::invalid_argument);
  expect_healthy();
}

TEST_F(CudaNumbers, ManySegments) {
  cuda::SegmentEncoder encoder;
  expect_as_on_cpu(encoder, random_numbers({3000, 900, 25, 10}, 5), 300);
  expect_as_on_cpu(encoder, random_numbers({100000, 6, 4, 6}, 6), 5);
  expect_healthy();
}

TEST_F(CudaNumbers, LongSegments) {
  cuda::SegmentEncoder encoder;
  Numbers made = random_numbers({4, 1000000, 12, 8}, 9);
  made.segments.push_back(random_numbers({1, 700000, 12, 14}, 11).segments[0]);
  expect_as_on_cpu(encoder, made, 100000);
  expect_healthy();
}

// More counts and symbols than shared memory holds.
TEST_F(CudaNumbers, AllContexts) {
  cuda::SegmentEncoder encoder;
  Engine random(12);
  Numbers made;
  made.contexts = codec::max_number_contexts;
  made.segments.resize(90);
  for (auto &segment : made.segments)
    for (std::size_t i = 0; i < 9000; ++i)
      segment.push_back(item_of(random() % made.contexts, static_cast<std::uint32_t>(random()) >> random() % 32));
  expect_as_on_cpu(encoder, made, 7);
  expect_as_on_cpu(encoder, random_numbers({90, 3000, 256, 20, 1000}, 13), 7);
  expect_healthy();
}

TEST_F(CudaNumbers, MemoryIsKept) {
  cuda::SegmentEncoder encoder;
  const Numbers numbers = random_numbers({300, 900, 20, 10}, 14);
  const DeviceItems first(numbers);
  const DeviceItems second(numbers);
  const DeviceItems third(numbers);
  const DeviceMemory out(on_cpu(numbers).size());
  std::uint64_t device = 0;
  std::uint64_t pinned = 0;
  for (const DeviceItems *const items : {&first, &second, &third}) {
    encoder.encode(items->view(), numbers.contexts, numbers.by_place(), numbers.places(), nullptr);
    encoder.write(out.get(), nullptr);
    check(cudaDeviceSynchronize());
    if (items != &third) {
      device = allocation_spy::device_allocations();
      pinned = allocation_spy::pinned_allocations();
    }
  }
  EXPECT_EQ(allocation_spy::device_allocations(), device);
  EXPECT_EQ(allocation_spy::pinned_allocations(), pinned);
  EXPECT_EQ(encoder.allocations(), 3u);
  EXPECT_GT(encoder.device_bytes(), 0u);
  const std::int64_t live = allocation_spy::live();
  encoder.release();
  EXPECT_LT(allocation_spy::live(), live);
  EXPECT_EQ(encoder.device_bytes(), 0u);
  expect_as_on_cpu(encoder, numbers);
  expect_healthy();
}

TEST_F(CudaNumbers, MemoryThatIsMissing) {
  const Numbers numbers = random_numbers({300, 900, 20, 10}, 15);
  cuda::SegmentEncoder encoder;
  for (std::uint64_t allowed = 0;; ++allowed) {
    ASSERT_LT(allowed, 20u);
    const DeviceItems items(numbers);
    const DeviceMemory out(on_cpu(numbers).size());
    encoder.release();
    allocation_spy::fail_after(allowed);
    const Status status = status_of([&] {
      encoder.encode(items.view(), numbers.contexts, numbers.by_place(), numbers.places(), nullptr);
      encoder.write(out.get(), nullptr);
    });
    allocation_spy::stop_failing();
    check(cudaDeviceSynchronize());
    if (status == Status::ok) break;
    EXPECT_EQ(status, Status::out_of_memory);
    expect_as_on_cpu(encoder, numbers);
  }
  expect_healthy();
}

}  // namespace
}  // namespace gpz::test
