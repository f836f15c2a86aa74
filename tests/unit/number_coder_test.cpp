// SPDX-License-Identifier: BSD-3-Clause
// Number streams: every number comes back in its context, whatever the numbers are; damage is an error or other
// numbers, and nothing beyond the bytes is read; what the tables are for is small. One stream, or several with the same
// tables.
#include "gpz/codec/number_coder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>

#include "gpz/error.hpp"

namespace gpz::codec::number_coder_test {
namespace {

struct Numbers {
  unsigned contexts = 1;
  std::vector<std::uint8_t> context;
  std::vector<std::uint32_t> number;

  void add(unsigned c, std::uint32_t u) {
    context.push_back(static_cast<std::uint8_t>(c));
    number.push_back(u);
  }
  std::size_t size() const { return number.size(); }
};

std::vector<std::uint8_t> encode(const Numbers &numbers) {
  NumberEncoder encoder(numbers.contexts);
  for (std::size_t i = 0; i < numbers.size(); ++i) encoder.put(numbers.context[i], numbers.number[i]);
  std::vector<std::uint8_t> bytes;
  encoder.finish(bytes);
  return bytes;
}

// From memory of just this size, so that a sanitizer sees what is read beyond it.
std::vector<std::uint32_t> decode(const std::vector<std::uint8_t> &bytes, const Numbers &like) {
  const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), exact.get());
  NumberDecoder decoder(exact.get(), bytes.size(), like.contexts);
  std::vector<std::uint32_t> out;
  for (const std::uint8_t c : like.context) out.push_back(decoder.get(c));
  decoder.end();
  return out;
}

void expect_round_trip(const Numbers &numbers) {
  const std::vector<std::uint8_t> bytes = encode(numbers);
  EXPECT_EQ(bytes.size() % 8, 0U);
  EXPECT_EQ(decode(bytes, numbers), numbers.number);
}

// Random numbers of 32 bits; the engine's type may have more.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine_()); }
  double normal(double sigma) { return std::normal_distribution<double>(0, sigma)(engine_); }

 private:
  std::mt19937 engine_;
};

std::uint32_t folded(double r) {
  const auto whole = static_cast<std::int64_t>(std::nearbyint(r));
  return static_cast<std::uint32_t>(whole > 0 ? 2 * whole - 1 : -2 * whole);
}

TEST(NumberCoder, NothingAtAll) {
  for (const unsigned contexts : {1U, 24U, 256U}) {
    Numbers none;
    none.contexts = contexts;
    expect_round_trip(none);
  }
}

TEST(NumberCoder, OneNumber) {
  for (const std::uint32_t u : {0U, 1U, 15U, 16U, 1000U, 0x80000000U, 0xFFFFFFFEU, 0xFFFFFFFFU}) {
    Numbers one;
    one.add(0, u);
    expect_round_trip(one);
    for (int i = 0; i < 1000; ++i) one.add(0, u);
    expect_round_trip(one);
  }
}

TEST(NumberCoder, EveryPowerOfTwoAndItsNeighbours) {
  Numbers numbers;
  for (int b = 0; b < 32; ++b)
    for (const int d : {-1, 0, 1}) numbers.add(0, (1U << b) + static_cast<std::uint32_t>(d));
  expect_round_trip(numbers);
}

TEST(NumberCoder, ContextsThatAreNeverUsed) {
  Random random(1);
  Numbers numbers;
  numbers.contexts = 256;
  for (int i = 0; i < 5000; ++i) numbers.add(random() % 2 == 0 ? 3 : 250, random() % 100);
  expect_round_trip(numbers);
}

TEST(NumberCoder, NumbersOfAllSizesInAllContexts) {
  Random random(2);
  for (const unsigned contexts : {1U, 2U, 24U, 255U, 256U}) {
    for (const std::size_t n : {1U, 2U, 3U, 5U, 100U, 3000U, 100000U}) {
      Numbers numbers;
      numbers.contexts = contexts;
      for (std::size_t i = 0; i < n; ++i) numbers.add(random() % contexts, random() >> random() % 32);
      expect_round_trip(numbers);
    }
  }
}

TEST(NumberCoder, NormalNumbersOfAllSizes) {
  Random random(3);
  for (double sigma = 0.1; sigma < 1e9; sigma *= 3) {
    Numbers numbers;
    for (int i = 0; i < 3000; ++i) numbers.add(0, folded(random.normal(sigma)));
    expect_round_trip(numbers);
  }
}

TEST(NumberCoder, AnEncoderStartsAnewAfterItsStream) {
  NumberEncoder encoder(1);
  std::vector<std::uint8_t> bytes;
  encoder.put(0, 7);
  encoder.finish(bytes);
  const std::vector<std::uint8_t> first = bytes;
  encoder.put(0, 7);
  encoder.finish(bytes);
  EXPECT_EQ(bytes.size(), 2 * first.size());
  EXPECT_TRUE(std::equal(first.begin(), first.end(), bytes.begin() + static_cast<std::ptrdiff_t>(first.size())));
}

// Residuals x around an expected place that is no integer: number u is u / 2 to (u + 1) / 2 away from it.
std::uint32_t residual(double x) { return static_cast<std::uint32_t>(2 * std::fabs(x)); }
// Bits of the numbers u of normal residuals, with the probability of each.
double ideal_bits(std::uint32_t u, double sigma) {
  const auto beyond = [&](double x) { return std::erfc(x / sigma / std::sqrt(2.0)); };
  return -std::log2(beyond(u / 2.0) - beyond((u + 1.0) / 2));
}

TEST(NumberCoder, SizesAreThoseOfTheDistribution) {
  Random random(7);
  for (const double sigma : {0.3, 1.0, 10.0, 1000.0, 1e6}) {
    Numbers numbers;
    double ideal = 0;
    for (int i = 0; i < 96000; ++i) {
      const std::uint32_t u = residual(random.normal(sigma));
      numbers.add(0, u);
      ideal += ideal_bits(u, sigma);
    }
    // States, padding and a table take at most 40 bytes.
    EXPECT_LT(8.0 * static_cast<double>(encode(numbers).size()), 1.005 * ideal + 320) << sigma;
  }
}

// 32,000 atoms with 24 contexts, and all of them in one: 0.02 bits an atom for the tables.
TEST(NumberCoder, TablesOfContextsThatAreAlikeCostLittle) {
  constexpr unsigned contexts = 24;
  Random random(8);
  Numbers alike;
  Numbers scaled;
  Numbers one;
  alike.contexts = contexts;
  scaled.contexts = contexts;
  double wider = 0;
  for (unsigned i = 0; i < 96000; ++i) {
    const unsigned c = random() % contexts;
    const double x = random.normal(50);
    alike.add(c, residual(x));
    one.add(0, residual(x));
    scaled.add(c, residual(x * std::exp2(c / 4.0)));
    wider += c / 4.0;
  }
  const auto bits = [](const Numbers &numbers) { return 8.0 * static_cast<double>(encode(numbers).size()); };
  EXPECT_LT(bits(alike), bits(one) + 0.02 * 32000);
  EXPECT_LT(bits(scaled), bits(one) + wider + 0.02 * 32000);
}

Numbers mixed_numbers(std::size_t n, unsigned contexts) {
  Random random(4);
  Numbers numbers;
  numbers.contexts = contexts;
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned c = random() % contexts;
    numbers.add(c, random() % 50 == 0 ? random() : folded(random.normal(std::exp2(c))));
  }
  return numbers;
}

// An error or other numbers.
void expect_harmless(const std::vector<std::uint8_t> &bytes, const Numbers &like) {
  try {
    EXPECT_EQ(decode(bytes, like).size(), like.size());
  } catch (const gpz::Error &error) {
    EXPECT_EQ(error.status(), Status::corrupt);
  }
}

TEST(NumberCoder, DamageAtEveryByte) {
  const Numbers numbers = mixed_numbers(300, 5);
  const std::vector<std::uint8_t> bytes = encode(numbers);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {0x01, 0x10, 0x80, 0xFF}) {
      std::vector<std::uint8_t> damaged = bytes;
      damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ flip);
      expect_harmless(damaged, numbers);
    }
  }
}

TEST(NumberCoder, EveryCutIsRefused) {
  const Numbers numbers = mixed_numbers(300, 5);
  const std::vector<std::uint8_t> bytes = encode(numbers);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(decode({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}, numbers), gpz::Error);
  std::vector<std::uint8_t> longer = bytes;
  longer.resize(bytes.size() + 8);
  EXPECT_THROW(decode(longer, numbers), gpz::Error);
}

TEST(NumberCoder, OneNumberTooManyOrTooFewIsRefused) {
  Numbers numbers = mixed_numbers(300, 5);
  const std::vector<std::uint8_t> bytes = encode(numbers);
  numbers.add(0, 0);
  EXPECT_THROW(decode(bytes, numbers), gpz::Error);
  numbers.context.resize(299);
  EXPECT_THROW(decode(bytes, numbers), gpz::Error);
}

TEST(NumberCoder, RandomBytes) {
  Random random(5);
  const Numbers like = mixed_numbers(200, 5);
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<std::uint8_t> bytes(8 * (random() % 20));
    for (std::uint8_t &byte : bytes) byte = static_cast<std::uint8_t>(random());
    if (!bytes.empty() && trial % 4 != 0) bytes[0] = trial % 4 == 1 ? 0 : 1;  // few shapes: more of the rest is reached
    expect_harmless(bytes, like);
  }
}

// ---- several streams with the same tables

struct Streams {
  Numbers numbers;
  std::vector<std::size_t> ends;
};

std::vector<std::uint8_t> encode(const Streams &streams) {
  NumberEncoder encoder(streams.numbers.contexts);
  std::size_t i = 0;
  for (const std::size_t end : streams.ends) {
    for (; i < end; ++i) encoder.put(streams.numbers.context[i], streams.numbers.number[i]);
    encoder.end_segment();
  }
  std::vector<std::uint8_t> bytes(16, 0xAA);  // behind what is there
  append_segments(encoder.segments(), streams.numbers.contexts, 1, bytes);
  EXPECT_EQ(std::count(bytes.begin(), bytes.begin() + 16, 0xAA), 16);
  return {bytes.begin() + 16, bytes.end()};
}

// The last stream first: they do not need each other.
std::vector<std::uint32_t> decode(const std::vector<std::uint8_t> &bytes, const Streams &like) {
  const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), exact.get());
  std::vector<NumberDecoder> streams =
      open_segments(exact.get(), bytes.size(), like.numbers.contexts, like.ends.size());
  std::vector<std::uint32_t> out(like.numbers.size());
  for (std::size_t s = like.ends.size(); s-- > 0;) {
    for (std::size_t i = s == 0 ? 0 : like.ends[s - 1]; i < like.ends[s]; ++i)
      out[i] = streams[s].get(like.numbers.context[i]);
    streams[s].end();
  }
  return out;
}

Streams mixed_streams(std::size_t streams, std::size_t longest) {
  Random random(6);
  Streams made;
  std::size_t count = 0;
  for (std::size_t s = 0; s < streams; ++s) {
    count += s == 1 ? 0 : 1 + random() % longest;  // one has no numbers
    made.ends.push_back(count);
  }
  made.numbers = mixed_numbers(count, 5);
  return made;
}

TEST(NumberSegments, ComeBack) {
  for (const std::size_t streams : {1U, 2U, 3U, 8U, 100U})
    for (const std::size_t longest : {1U, 3U, 700U}) {
      const Streams made = mixed_streams(streams, longest);
      const std::vector<std::uint8_t> bytes = encode(made);
      EXPECT_EQ(bytes.size() % 8, 0U);
      EXPECT_EQ(decode(bytes, made), made.numbers.number) << streams;
    }
}

TEST(NumberSegments, AreNoneOrHaveNoNumbers) {
  Streams none;
  none.numbers.contexts = 3;
  EXPECT_TRUE(decode(encode(none), none).empty());
  none.ends = {0, 0, 0};
  EXPECT_TRUE(decode(encode(none), none).empty());
}

// Numbers in any pieces of memory, coded by any number of threads.
TEST(NumberSegments, AnyNumberOfThreads) {
  const Streams made = mixed_streams(40, 2000);
  const std::vector<std::uint8_t> expected = encode(made);
  for (const int threads : {1, 3}) {
    std::vector<std::vector<std::uint64_t>> items;
    std::size_t i = 0;
    for (const std::size_t end : made.ends)
      for (items.emplace_back(); i < end; ++i)
        items.back().push_back(std::uint64_t{made.numbers.context[i]} << 32 | made.numbers.number[i]);
    std::vector<NumberSegment> segments;
    segments.reserve(items.size());
    for (auto &segment : items) segments.push_back({segment.data(), segment.size()});
    std::vector<std::uint8_t> bytes;
    append_segments(segments, made.numbers.contexts, threads, bytes);
    EXPECT_EQ(bytes, expected) << threads;
  }
}

// One table for all: a stream costs its length, its states, and what fills the last 8 bytes.
TEST(NumberSegments, CostLittle) {
  Streams made;
  made.numbers = mixed_numbers(40000, 5);
  for (std::size_t end = 4000; end <= 40000; end += 4000) made.ends.push_back(end);
  EXPECT_LE(encode(made).size(), encode(made.numbers).size() + 10 * (4 + 8 + 8) + 16);
}

void expect_refused(const std::vector<std::uint8_t> &bytes, const Streams &like) {
  try {
    decode(bytes, like);
    ADD_FAILURE();
  } catch (const gpz::Error &error) {
    EXPECT_EQ(error.status(), Status::corrupt);
  }
}

TEST(NumberSegments, CutsAndWrongCountsAreRefused) {
  Streams made = mixed_streams(4, 60);
  const std::vector<std::uint8_t> bytes = encode(made);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    expect_refused({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}, made);
  std::vector<std::uint8_t> longer = bytes;
  longer.resize(bytes.size() + 8);
  expect_refused(longer, made);
  // One stream fewer, or more than there can be.
  for (const std::size_t count : {std::size_t{0}, std::size_t{3}, std::size_t{5}, bytes.size(), SIZE_MAX / 4, SIZE_MAX})
    EXPECT_THROW(open_segments(bytes.data(), bytes.size(), 5, count), gpz::Error) << count;
  // A number that belongs to the next stream.
  ++made.ends[0];
  expect_refused(bytes, made);
}

// That of the tables, and those of the streams.
TEST(NumberSegments, WrongLengthsAreRefused) {
  const Streams made = mixed_streams(4, 60);
  const std::vector<std::uint8_t> bytes = encode(made);
  std::uint32_t length[6];  // the last one fills 8 bytes
  std::memcpy(length, bytes.data(), sizeof length);
  EXPECT_EQ(length[5], 0U);
  EXPECT_EQ(sizeof length + length[0] + length[1] + length[2] + length[3] + length[4], bytes.size());
  const auto expect_wrong = [&](std::size_t s, std::uint32_t wrong) {
    std::vector<std::uint8_t> changed = bytes;
    std::memcpy(&changed[4 * s], &wrong, 4);
    expect_refused(changed, made);
    if (s == 4) return;
    // The next one has what is missing.
    const std::uint32_t other = length[s] + length[s + 1] - wrong;
    std::memcpy(&changed[4 * s + 4], &other, 4);
    expect_refused(changed, made);
  };
  for (std::size_t s = 0; s < 5; ++s) {
    for (const std::uint32_t by : {1U, 2U, 4U, 8U, 64U})
      for (const bool more : {false, true}) expect_wrong(s, more ? length[s] + by : length[s] - by);
    for (const std::uint32_t wrong : {0U, 1U, 0x80000000U, 0xFFFFFFF8U, 0xFFFFFFFFU})
      if (wrong != length[s]) expect_wrong(s, wrong);
  }
  std::vector<std::uint8_t> padded = bytes;
  padded[5 * 4] = 1;
  expect_refused(padded, made);
}

TEST(NumberSegments, DamageAtEveryByte) {
  const Streams made = mixed_streams(4, 60);
  const std::vector<std::uint8_t> bytes = encode(made);
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int flip : {0x01, 0x10, 0x80, 0xFF}) {
      std::vector<std::uint8_t> damaged = bytes;
      damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ flip);
      try {
        EXPECT_EQ(decode(damaged, made).size(), made.numbers.size());
      } catch (const gpz::Error &error) {
        EXPECT_EQ(error.status(), Status::corrupt);
      }
    }
}

// Tests states next to multiples of the frequency, up to the largest state that is not full.
TEST(AnsQuotient, IsExact) {
  for (std::uint64_t f = 1; f <= core::ans_total; f += f < 8 || f > core::ans_total - 8 ? 1 : 37) {
    const std::uint64_t inverse = core::ans_inverse(static_cast<std::uint32_t>(f));
    const std::uint64_t end = std::min(f << (32 - core::ans_bits), std::uint64_t{1} << 32);
    for (std::uint64_t quotient = 1; quotient <= end / f; quotient += quotient < 64 || quotient + 64 > end / f ? 1 : 61)
      for (const std::uint64_t state : {quotient * f - 1, quotient * f})
        if (state < end) {
          const auto x = static_cast<std::uint32_t>(state);
          ASSERT_EQ(core::ans_quotient(x, inverse), state / f) << state << " / " << f;
        }
  }
}

}  // namespace
}  // namespace gpz::codec::number_coder_test
