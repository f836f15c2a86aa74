// SPDX-License-Identifier: BSD-3-Clause
// Ordered sections: every value comes back, whatever it is; bytes are the same for all instruction sets; damage is an
// error; a second decoder, written from docs/decisions/0011 alone, agrees; and what the predictions are for is small.
#include "gpz/codec/ordered_codec.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <memory>

#include "difference_support.hpp"
#include "gpz/core/ordered.hpp"
#include "gpz/error.hpp"

namespace gpz::codec::ordered_codec_test {
namespace {

struct Chunk {
  Frame q;
  std::vector<std::int64_t> ids;  // empty: none
  GridBox box{};

  std::size_t size() const { return q[0].size(); }
  OrderedShape shape(int components = 3) const { return {size(), components, ids.empty() ? nullptr : ids.data(), box}; }
};

std::int64_t wrapped(std::int64_t q, const core::GridAxis &axis) {
  if (axis.period == 0) return q;
  if (q < axis.lo) return q + axis.period;
  return q >= axis.lo + axis.period ? q - axis.period : q;
}

// One value after the other.
Frame decode_slowly(const Chunk &chunk, int components, const std::vector<std::uint8_t> &bytes) {
  const std::size_t n = chunk.size();
  if (bytes[0] == 2) {
    std::uint64_t count = 0;
    std::memcpy(&count, &bytes[8], 8);
    const Frame runs = decode_slowly({empty_frame(count), {}, {}}, 2, {bytes.begin() + 16, bytes.end()});
    Frame out = empty_frame(n);
    std::int64_t next = 0;
    for (std::size_t k = 0, i = 0; k < count; ++k) {
      next = core::sum_of(next, runs[0][k]);
      for (std::int64_t more = runs[1][k]; more >= 0; --more, next = core::sum_of(next, 1)) out[0][i++] = next;
    }
    return out;
  }
  const auto d_end = static_cast<std::size_t>(components);
  const std::size_t items = 3 * d_end + 4;
  Frame out = empty_frame(n);
  std::uint16_t lag[2];
  std::memcpy(lag, &bytes[2], 4);
  const std::uint8_t *width = &bytes[6];
  const std::size_t numbers = (6 + items + 7) / 8 * 8;
  std::int64_t offset[3][3] = {};
  std::int64_t base[3] = {};
  for (std::size_t k = 0; k < 2; ++k) std::memcpy(offset[k], &bytes[numbers + k * d_end * 8], d_end * 8);
  std::memcpy(base, &bytes[numbers + 2 * d_end * 8], d_end * 8);
  unsigned record_bits = 0;
  for (std::size_t k = 0; k < items; ++k) record_bits += width[k];
  const std::size_t blocks = (n + 1023) / 1024;
  const std::size_t start = numbers + 3 * d_end * 8;
  Bits directory{bytes.data() + start};
  const std::uint8_t *words = bytes.data() + start + (blocks * record_bits + 63) / 64 * 8;
  for (std::size_t first = 0; first < n; first += 1024) {
    const std::size_t m = std::min<std::size_t>(1024, n - first);
    bool ascending = !chunk.ids.empty();
    for (std::size_t i = 1; i < m && ascending; ++i) ascending = chunk.ids[first + i - 1] < chunk.ids[first + i];
    std::map<std::int64_t, std::size_t> of_id;
    std::vector<std::int64_t> id(m);
    for (std::size_t i = 0; i < m; ++i) {
      id[i] = ascending ? chunk.ids[first + i] : static_cast<std::int64_t>(i);
      of_id[id[i]] = i;
    }
    std::vector<std::uint64_t> item(items);
    for (std::size_t k = 0; k < items; ++k) item[k] = directory.take(width[k]);
    const std::uint64_t *w = &item[d_end];
    const std::uint64_t *f = &item[2 * d_end];
    const std::uint64_t *tail = &item[3 * d_end];
    const std::uint8_t *planes[3];
    for (std::size_t d = 0; d < d_end; ++d) {
      planes[d] = words;
      words += (m == 1024 ? 32 * w[d] : (m * w[d] + 31) / 32) * 4;
    }
    Bits unary{words};
    Bits flags{words + tail[0] * 4};
    const std::uint8_t *exceptions = words + (tail[0] + tail[2]) * 4;
    words = exceptions + tail[3] * 12;
    std::map<std::uint32_t, std::int64_t> exception;
    for (std::size_t e = 0; e < tail[3]; ++e) {
      std::uint32_t index = 0;
      std::memcpy(&index, exceptions + e * 4, 4);
      std::memcpy(&exception[index], exceptions + tail[3] * 4 + e * 8, 8);
    }
    for (std::size_t d = 0; d < d_end; ++d) {
      std::vector<std::int64_t> p(m);
      const core::GridAxis axis = chunk.box[d];
      for (std::size_t i = 0; i < m; ++i) {
        std::int64_t expected = core::sum_of(base[d], static_cast<std::int64_t>(item[d]));
        if (i > 0 && lag[0] != 0) {
          const std::size_t order[2] = {static_cast<std::size_t>(bytes[1] >> d & 1), 1 - order[0]};
          expected = p[i - 1];
          for (const std::size_t k : {order[1], order[0]}) {
            const auto parent = of_id.find(static_cast<std::int64_t>(static_cast<std::uint64_t>(id[i]) - lag[k]));
            if (lag[k] != 0 && parent != of_id.end() && parent->second < i)
              expected = wrapped(core::sum_of(p[parent->second], offset[k][d]), axis);
          }
        }
        const std::uint64_t low = f[d] < 2 ? w[d] : w[d] - f[d];
        std::uint64_t u = in_plane(planes[d], i, static_cast<unsigned>(w[d]), m == 1024);
        if (f[d] != 1 && u >> low == (1u << f[d]) - 1)
          while (unary.take(1) == 0) u += std::uint64_t{1} << low;
        const std::int64_t residual =
            u % 2 == 0 ? static_cast<std::int64_t>(u / 2) : -static_cast<std::int64_t>(u / 2) - 1;
        p[i] = wrapped(core::sum_of(expected, residual), axis);
        const auto stored = exception.find(static_cast<std::uint32_t>(d << 16 | i));
        if (stored != exception.end()) {
          p[i] = wrapped(stored->second, axis);
          if (axis.period != 0 && (p[i] < axis.lo || p[i] >= axis.lo + axis.period)) p[i] = axis.lo;
        }
        std::int64_t q = p[i];
        if (axis.period != 0) {
          const std::int64_t margin = std::min<std::int64_t>(static_cast<std::int64_t>(tail[1]), axis.period / 4);
          if (q < axis.lo + margin)
            q += flags.take(1) != 0 ? axis.period : 0;
          else if (q >= axis.lo + axis.period - margin)
            q -= flags.take(1) != 0 ? axis.period : 0;
        }
        out[d][first + i] = stored != exception.end() ? stored->second : q;
      }
    }
  }
  return out;
}

// Encodes with all kernels and decodes again; the size of the section.
std::size_t check(const Chunk &chunk, int components = 3, bool slowly = false) {
  const OrderedShape shape = chunk.shape(components);
  std::vector<std::uint8_t> bytes;
  encode_ordered(shape, columns(chunk.q), bytes);
  EXPECT_EQ(bytes.size() % 8, 0u);
  Frame wanted = chunk.q;
  for (std::size_t d = static_cast<std::size_t>(components); d < 3; ++d) wanted[d].assign(chunk.size(), 0);
  for (const auto *kernels : all_kernels()) {
    std::vector<std::uint8_t> others;
    encode_ordered(shape, columns(chunk.q), others, *kernels);
    EXPECT_EQ(bytes, others) << kernels->name;
    Frame decoded = empty_frame(chunk.size());
    decode_ordered(shape, bytes.data(), bytes.size(), output(decoded), *kernels);
    EXPECT_EQ(decoded, wanted) << kernels->name;
  }
  if (slowly) {
    EXPECT_EQ(decode_slowly(chunk, components, bytes), wanted);
  }
  return bytes.size();
}

// Cells of four particles, numbered cell by cell, row by row, plane by plane; `edge` cells along each side, which
// tremble about their places and are not brought back at the edges. Those for which `here` holds.
template <typename Here>
Chunk crystal(std::int64_t edge, std::int64_t cell, double sigma, Here here) {
  Random random(static_cast<std::uint64_t>(edge));
  const std::int64_t basis[4][3] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};
  Chunk chunk;
  for (auto &axis : chunk.box) axis = {-500, edge * cell};
  for (std::int64_t i = 0; i < edge * edge * edge * 4; ++i) {
    const std::int64_t at[3] = {i / 4 % edge, i / 4 / edge % edge, i / 4 / edge / edge};
    std::int64_t q[3];
    for (int d = 0; d < 3; ++d) q[d] = -500 + at[d] * cell + basis[i % 4][d] * cell / 2 + gaussian(random, sigma);
    if (!here(q)) continue;
    for (std::size_t d = 0; d < 3; ++d) chunk.q[d].push_back(q[d]);
    chunk.ids.push_back(i + 1);
  }
  return chunk;
}

bool everywhere(const std::int64_t *) { return true; }

Chunk liquid(std::size_t n, double sigma, std::int64_t period) {
  Random random(n);
  Chunk chunk{empty_frame(n), {}, {}};
  for (std::size_t d = 0; d < 3; ++d) {
    if (period != 0) chunk.box[d] = {-7, period};
    std::int64_t q = 0;
    for (auto &x : chunk.q[d]) {
      q += gaussian(random, sigma);
      x = period == 0 ? q : ((q % period) + period) % period - (random.below(9) == 0 ? 7 : 0);
    }
  }
  std::int64_t id = 5;
  for (std::size_t i = 0; i < n; ++i)
    chunk.ids.push_back(id += 1 + (random.below(10) == 0 ? static_cast<std::int64_t>(random.below(50)) : 0));
  return chunk;
}

Chunk rubbish(std::size_t n) {
  Trajectory t = noise(n, 1);
  return {t.frames[0], {}, t.box};
}

TEST(OrderedCodec, RoundTripsAllSizes) {
  for (const std::size_t n : {1u, 2u, 31u, 32u, 33u, 1023u, 1024u, 1025u, 3000u}) {
    SCOPED_TRACE(n);
    for (Chunk chunk : {liquid(n, 30, 0), liquid(n, 500, 9000), liquid(n, 3, 9), rubbish(n)}) {
      check(chunk, 3, true);
      chunk.ids.clear();
      check(chunk, 3, true);
    }
  }
}

TEST(OrderedCodec, SecondDecoderAgrees) {
  check(crystal(9, 360, 12, everywhere), 3, true);
  check(crystal(11, 360, 12, [](const std::int64_t *q) { return q[0] > 1300 && q[1] > 1100; }), 3, true);
}

TEST(OrderedCodec, RoundTripsAnyScale) {
  for (const double sigma : {0.0, 0.3, 1e3, 1e6, 1e9, 1e12, 1e15}) {
    SCOPED_TRACE(sigma);
    check(liquid(1500, sigma, 0));
    check(liquid(1500, sigma, std::int64_t{1} << 40));
  }
}

TEST(OrderedCodec, AnyIds) {
  Chunk chunk = crystal(8, 300, 9, everywhere);
  Random random(2);
  const std::vector<std::int64_t> ascending = chunk.ids;
  for (auto &id : chunk.ids) id = static_cast<std::int64_t>(random.bits());
  check(chunk, 3, true);
  chunk.ids.assign(chunk.size(), 7);
  check(chunk, 3, true);
  for (std::size_t i = 0; i < chunk.size(); ++i)
    chunk.ids[i] = i < 900 ? min64 + ascending[i] : max64 - 5000 + ascending[i];
  check(chunk);
  chunk.ids = ascending;
  std::swap(chunk.ids[100], chunk.ids[101]);
  check(chunk, 3, true);
}

TEST(OrderedCodec, AxesThatDoNotFitAreOpen) {
  for (const core::GridAxis axis : {core::GridAxis{0, -5}, {0, 7}, {min64, 1000}, {max64, max64}, {0, min64}}) {
    SCOPED_TRACE(axis.period);
    for (Chunk chunk : {liquid(1100, 30, 0), rubbish(1100)}) {
      chunk.box = {axis, axis, axis};
      check(chunk);
    }
  }
  Chunk small = rubbish(1100);
  for (auto &axis : small.box) axis = {-50, 8};
  check(small, 3, true);
}

TEST(OrderedCodec, FewerComponents) {
  for (int components = 1; components <= 2; ++components) {
    check(crystal(8, 300, 9, everywhere), components, true);
    check(rubbish(1300), components, true);
  }
}

TEST(OrderedCodec, EmptyChunk) {
  std::vector<std::uint8_t> bytes;
  encode_ordered({0, 3, nullptr, {}}, {}, bytes);
  EXPECT_TRUE(bytes.empty());
  EXPECT_NO_THROW(decode_ordered({0, 3, nullptr, {}}, nullptr, 0, {}));
  bytes.assign(8, 0);
  EXPECT_THROW(decode_ordered({0, 3, nullptr, {}}, bytes.data(), 8, {}), Error);
}

// Except in the first particles of each block.
TEST(OrderedCodec, WhatRepeatsTakesNextToNothing) {
  const std::size_t n = 20480;
  Chunk chunk{empty_frame(n), {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    chunk.q[0][i] = static_cast<std::int64_t>(i) + 12345;  // ids
    chunk.q[1][i] = 9;
    chunk.q[2][i] = i % 3 == 0 ? 1 : 2;  // types of a molecule
  }
  EXPECT_LE(check(chunk, 2), 200u);
  chunk.q[0] = chunk.q[2];
  EXPECT_LE(check(chunk, 1), 100 + 20u * 3 * 8);
}

// Values that have nothing to do with each other, about one that is the same for all.
TEST(OrderedCodec, NoPredictionIsBetterThanABadOne) {
  const std::size_t n = 8192;
  Random random(1);
  Chunk chunk{empty_frame(n), {}, {}};
  for (auto &x : chunk.q[0]) x = 100000 + gaussian(random, 100);
  const double entropy = std::log2(100 * std::sqrt(2 * M_PI * M_E));
  EXPECT_LT(static_cast<double>(check(chunk, 1)) * 8, static_cast<double>(n) * (entropy + 0.16));
}

double bits_of(const Chunk &chunk) {
  return 8.0 * static_cast<double>(check(chunk)) / static_cast<double>(chunk.size());
}

// Bits of a particle whose position is known except for a trembling of sigma, as is that of the particle it is
// predicted from.
double bits_of_difference(double sigma) { return 3 * std::log2(sigma * std::sqrt(2) * std::sqrt(2 * M_PI * M_E)); }

TEST(OrderedCodec, Crystal) {
  EXPECT_LT(bits_of(crystal(24, 360, 10, everywhere)), bits_of_difference(10) + 0.9);
  EXPECT_LT(bits_of(crystal(24, 3600, 100, everywhere)), bits_of_difference(100) + 0.9);
}

// The lags are differences of ids: a part of the crystal has rows of uneven lengths, and its particles are predicted as
// well, except some at its surface.
TEST(OrderedCodec, PartOfACrystal) {
  const auto octant = [](const std::int64_t *q) { return q[0] > 4000 && q[1] > 4000 && q[2] > 4000; };
  Chunk chunk = crystal(24, 360, 10, octant);
  const double with_ids = bits_of(chunk);
  EXPECT_LT(with_ids, bits_of_difference(10) + 4);
  chunk.ids.clear();
  EXPECT_LT(with_ids + 4, bits_of(chunk));
}

// Ids with gaps: less than half of what differences alone would take.
TEST(OrderedCodec, IdsOfAPart) {
  Chunk part = crystal(24, 360, 10, [](const std::int64_t *q) { return q[0] > 4100 && q[1] > 4100; });
  part.q[0].swap(part.ids);
  part.ids.clear();
  std::size_t runs = 1;
  for (std::size_t i = 1; i < part.size(); ++i) runs += part.q[0][i] != part.q[0][i - 1] + 1 ? 1 : 0;
  EXPECT_LT(check(part, 1, true) * 8, 16 * runs + 1000);
  part.q[0][0] = min64;
  part.q[0].back() = max64;
  check(part, 1, true);
  for (std::size_t i = 0; i < part.size(); ++i) part.q[0][i] = max64 - 100;
  for (std::int64_t i = 0; i < 4000; ++i) part.q[0][static_cast<std::size_t>(i)] = i;
  check(part, 1, true);
}

// Particles on the edges are in this image or that: about a bit each for those that may be.
TEST(OrderedCodec, ParticlesBeyondTheEdge) {
  Chunk chunk = crystal(16, 360, 10, everywhere);
  const double as_they_are = bits_of(chunk);
  for (std::size_t d = 0; d < 3; ++d)
    for (auto &x : chunk.q[d]) x = core::inside(x, chunk.box[d]);
  EXPECT_LT(as_they_are, bits_of(chunk) + 3.0 / 32 * 1.2 + 0.05);
}

// A jump too large for a residual: the particles behind it are predicted from where it went.
TEST(OrderedCodec, JumpsAreFollowed) {
  Chunk chunk = liquid(4096, 10, 0);
  const std::size_t smooth = check(chunk);
  for (std::size_t i = 0; i < chunk.size(); ++i) chunk.q[1][i] += static_cast<std::int64_t>(i / 500) << 40;
  EXPECT_LT(check(chunk, 3, true), smooth + 8 * 12 + 200);
}

// All kernels refuse it, or none does. Errors and values out of nowhere are fine; anything else is for the sanitizers.
void decode_damaged(const OrderedShape &shape, const std::vector<std::uint8_t> &bytes) {
  Frame decoded = empty_frame(shape.particles);
  // A copy of exactly that size, so that nothing behind it is readable.
  const std::unique_ptr<std::uint8_t[]> copy(new std::uint8_t[bytes.size() + 1]);
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  std::size_t refused = 0;
  for (const auto *kernels : all_kernels()) {
    try {
      decode_ordered(shape, copy.get(), bytes.size(), output(decoded), *kernels);
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), Status::corrupt);
      ++refused;
    }
  }
  EXPECT_TRUE(refused == 0 || refused == all_kernels().size());
}

TEST(OrderedCodec, DamageIsAnErrorOrOtherValues) {
  Chunk ids = liquid(3000, 0, 0);
  ids.q[0].swap(ids.ids);
  ids.ids.clear();
  for (const Chunk &chunk : {crystal(7, 300, 12, everywhere), rubbish(1030), liquid(40, 20, 5000), ids}) {
    const OrderedShape shape = chunk.shape(chunk.q[0] == ids.q[0] ? 1 : 3);
    std::vector<std::uint8_t> bytes;
    encode_ordered(shape, columns(chunk.q), bytes);
    Frame decoded = empty_frame(chunk.size());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const std::unique_ptr<std::uint8_t[]> cut(new std::uint8_t[size + 1]);
      std::memcpy(cut.get(), bytes.data(), size);
      ASSERT_THROW(decode_ordered(shape, cut.get(), size, output(decoded)), Error) << size;
    }
    auto longer = bytes;
    longer.resize(bytes.size() + 8);
    EXPECT_THROW(decode_ordered(shape, longer.data(), longer.size(), output(decoded)), Error);
    auto other = bytes;
    other[0] = 3;
    EXPECT_THROW(decode_ordered(shape, other.data(), other.size(), output(decoded)), Error);
    Random random(6);
    for (int round = 0; round < 3000; ++round) {
      auto damaged = bytes;
      const std::uint64_t flips = 1 + random.below(4);
      // Every other time near the front, where the lengths are.
      const std::size_t range = round % 2 == 0 ? std::min<std::size_t>(128, bytes.size()) : bytes.size();
      for (std::uint64_t k = 0; k < flips; ++k)
        damaged[random.below(range)] ^= static_cast<std::uint8_t>(1u << random.below(8));
      decode_damaged(shape, damaged);
    }
    for (int round = 0; round < 300; ++round) {
      std::vector<std::uint8_t> noise_bytes(96 + 8 * random.below(400));
      for (auto &byte : noise_bytes) byte = static_cast<std::uint8_t>(random.bits());
      noise_bytes[0] = 1;
      noise_bytes[1] &= 7;
      noise_bytes[3] = noise_bytes[5] = 0;
      for (std::size_t k = 6; k < 19; ++k) noise_bytes[k] %= 12;
      for (std::size_t k = 19; k < 24; ++k) noise_bytes[k] = 0;
      for (std::size_t k = 24; k < 72; ++k) noise_bytes[k] = 0;
      decode_damaged(shape, noise_bytes);
    }
  }
}

}  // namespace
}  // namespace gpz::codec::ordered_codec_test
