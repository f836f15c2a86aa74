// SPDX-License-Identifier: BSD-3-Clause
// Difference sections: every index comes back, whatever it is; bytes are the same for all instruction sets; damage is
// an error; and a second decoder, written from docs/format.md alone, agrees.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "difference_decoder.hpp"

namespace gpz::codec::difference_codec_test {
namespace {

// Encodes all frames with all kernels and decodes them again; the sizes of the sections.
std::vector<std::size_t> check(const Trajectory &t, bool slowly = false) {
  const std::size_t n = t.frames[0][0].size();
  DifferenceState state;
  state.start(columns(t.frames[0]), n, 3);
  std::vector<std::size_t> sizes;
  for (std::size_t s = 1; s < t.frames.size(); ++s) {
    SCOPED_TRACE("frame " + std::to_string(s));
    const auto bytes = encoded(state, t.frames[s], t.box);
    if (slowly) {
      EXPECT_EQ(decode_slowly(t, s, bytes), t.frames[s]);
    }
    state.advance(columns(t.frames[s]), t.box);
    sizes.push_back(bytes.size());
  }
  return sizes;
}

TEST(DifferenceCodec, RoundTripsAllSizes) {
  for (const std::size_t n : {1u, 2u, 31u, 32u, 33u, 1023u, 1024u, 1025u, 3000u}) {
    SCOPED_TRACE(n);
    check(random_walk(n, 6, 40, n), n < 1100);
    check(crystal(n, 6, 12, {900, 9000, 70000}), n < 1100);
    check(ballistic(n, 5, 20000));
    check(noise(n, 5));
  }
}

TEST(DifferenceCodec, SecondDecoderAgrees) {
  check(random_walk(2100, 7, 300, 1), true);
  check(crystal(2100, 7, 20, {1000, 1001, 5000}), true);
  check(ballistic(2100, 6, 20000), true);
}

TEST(DifferenceCodec, RoundTripsAnyStep) {
  for (const double sigma : {0.0, 0.3, 1e3, 1e6, 1e9, 1e12, 1e15}) {
    SCOPED_TRACE(sigma);
    check(random_walk(1500, 5, sigma, 9));
  }
}

TEST(DifferenceCodec, AxesThatDoNotFitAreOpen) {
  for (const core::GridAxis axis :
       {core::GridAxis{0, -5}, {0, 7}, {min64, 1000}, {max64, max64}, {0, min64}, {-50, 8}}) {
    SCOPED_TRACE(axis.period);
    Trajectory t = random_walk(1100, 4, 30, 2);
    t.box = {axis, axis, axis};
    check(t);
    t = noise(1100, 4);
    t.box = {axis, axis, axis};
    check(t);
  }
}

TEST(DifferenceCodec, ChangingBox) {
  Trajectory t = ballistic(1500, 6, 20000);
  DifferenceState state;
  state.start(columns(t.frames[0]), 1500, 3);
  for (std::size_t s = 1; s < t.frames.size(); ++s) {
    const core::GridAxis axis{static_cast<std::int64_t>(s) * 7, 20000 - static_cast<std::int64_t>(s) * 31};
    std::vector<std::uint8_t> bytes;
    encode_difference(state, columns(t.frames[s]), {axis, axis, axis}, bytes);
    Frame decoded = empty_frame(1500);
    decode_difference(state, bytes.data(), bytes.size(), {axis, axis, axis}, output(decoded));
    EXPECT_EQ(decoded, t.frames[s]);
    state.advance(columns(t.frames[s]), {axis, axis, axis});
  }
}

TEST(DifferenceCodec, FewerAxes) {
  const Trajectory t = random_walk(1300, 5, 50, 4);
  for (int count = 1; count <= 2; ++count) {
    DifferenceState state;
    state.start(columns(t.frames[0]), 1300, count);
    for (std::size_t s = 1; s < t.frames.size(); ++s) {
      std::vector<std::uint8_t> bytes;
      encode_difference(state, columns(t.frames[s]), t.box, bytes);
      Frame decoded = empty_frame(1300);
      decode_difference(state, bytes.data(), bytes.size(), t.box, output(decoded));
      for (std::size_t d = 0; d < 3; ++d)
        EXPECT_EQ(decoded[d], d < static_cast<std::size_t>(count) ? t.frames[s][d] : empty_frame(1300)[d]);
      state.advance(columns(t.frames[s]), t.box);
    }
  }
}

TEST(DifferenceCodec, EmptyChunk) {
  DifferenceState state;
  state.start({}, 0, 3);
  std::vector<std::uint8_t> bytes;
  encode_difference(state, {}, {}, bytes);
  EXPECT_TRUE(bytes.empty());
  EXPECT_NO_THROW(decode_difference(state, nullptr, 0, {}, {}));
  bytes.assign(8, 0);
  EXPECT_THROW(decode_difference(state, bytes.data(), 8, {}, {}), Error);
}

TEST(DifferenceCodec, WhatDoesNotMoveTakesNoPayload) {
  const auto sizes = check(random_walk(5000, 3, 0, 1));
  for (const std::size_t size : sizes) EXPECT_LE(size, 24u);
}

// Straight lines are predicted from the second difference frame on, through the edges as well: crossings between the
// stored image and the followed one cost less than 1 % of the bytes.
TEST(DifferenceCodec, StraightLines) {
  const auto open = check(ballistic(4096, 6, 0));
  const auto periodic = check(ballistic(4096, 6, 20000));
  for (std::size_t s = 1; s < open.size(); ++s) {
    EXPECT_LT(open[s] * 8, 4096 * 3 * 5u) << s;  // velocities of up to 2,000 with coefficients of 1/64
    EXPECT_LT(static_cast<double>(periodic[s]), 1.01 * static_cast<double>(open[s])) << s;
  }
}

// Particles on the edge of a crystal that are in this image or that: about a bit each for those that may be.
TEST(DifferenceCodec, ParticlesBeyondTheEdge) {
  const std::size_t n = 8192;
  Trajectory t = crystal(n, 8, 12, {9000, 9000, 9000});
  const auto wrapped = check(t);
  Trajectory followed = t;
  followed.box = {};
  for (std::size_t s = 0; s < t.frames.size(); ++s)
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < n; ++i)
        followed.frames[s][d][i] = s == 0 ? t.frames[0][d][i]
                                          : followed.frames[s - 1][d][i] +
                                                core::displacement(t.frames[s][d][i], t.frames[s - 1][d][i], t.box[d]);
  const auto open = check(followed);
  const double edge = static_cast<double>(n) * 3 / 10;  // one plane in ten lies on an edge
  for (std::size_t s = 0; s < open.size(); ++s)
    EXPECT_LT(static_cast<double>(wrapped[s]) * 8, static_cast<double>(open[s]) * 8 + 1.1 * edge + 32 * 8 + 64) << s;
}

// Bits of the block payload for the best code of all, each axis on its own.
std::uint64_t least_bits(const std::vector<std::int64_t> &residuals) {
  std::uint64_t best = max64;
  for (unsigned head = 0; head <= 3; ++head)
    for (unsigned width = head < 2 ? 0 : head; width <= 31; ++width) {
      const unsigned low = head < 2 ? width : width - head;
      std::uint64_t bits = 0;
      for (const std::int64_t r : residuals) {
        // As what is expected is 0, and a half.
        const std::uint64_t u = r > 0 ? 2 * static_cast<std::uint64_t>(r) - 1 : 2 * static_cast<std::uint64_t>(-r);
        const std::uint64_t h = u >> low;
        const std::uint64_t in_head = (1u << head) - 1;
        bits += width + (h < in_head ? 0 : head == 1 ? 96 : std::min<std::uint64_t>(h - in_head + 1, 97));
      }
      best = std::min(best, bits);
    }
  return best;
}

TEST(DifferenceCodec, ChoosesNearlyTheBestCode) {
  const std::size_t n = 1024;
  const std::vector<std::function<std::int64_t(Random &, double)>> kinds = {
      [](Random &random, double scale) { return gaussian(random, scale); },
      [](Random &random, double scale) { return rounded(-scale * std::log(1 - random.uniform())); },
      [](Random &random, double scale) { return rounded(random.uniform(-scale, scale)); },
      [](Random &random, double scale) { return random.below(50) == 0 ? gaussian(random, scale) : 0; },
      [](Random &random, double scale) { return gaussian(random, random.below(10) == 0 ? 30 * scale : scale); },
      [](Random &random, double scale) {
        return random.below(200) == 0 ? static_cast<std::int64_t>(random.bits() >> 20) : gaussian(random, scale);
      },
  };
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    for (double scale = 0.2; scale < 1e6; scale *= 1.3) {
      SCOPED_TRACE("kind " + std::to_string(kind) + " scale " + std::to_string(scale));
      Random random(static_cast<std::uint64_t>(scale * 1000));
      const Frame start = empty_frame(n);
      Frame q = start;
      std::uint64_t best = 0;
      for (auto &axis : q) {
        for (auto &x : axis) x = kinds[kind](random, scale);
        best += least_bits(axis);
      }
      DifferenceState state;
      state.start(columns(start), n, 3);
      std::vector<std::uint8_t> bytes;
      encode_difference(state, columns(q), {}, bytes);
      EXPECT_LE(static_cast<double>(bytes.size() * 8 - 128), 1.01 * static_cast<double>(best) + 256);
    }
}

// Against the normal equations in long double by Cramer's rule.
TEST(DifferenceCodec, FitIsTheLeastSquaresOne) {
  Random random(8);
  for (int round = 0; round < 200; ++round) {
    core::FitSums sums;
    const double truth[3] = {random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5)};
    for (int k = 0; k < 500; ++k) {
      const std::int64_t v = gaussian(random, 300);
      const std::int64_t p = v / 2 + gaussian(random, 100);
      const std::int64_t m = gaussian(random, 50) - p;
      const std::int64_t t =
          rounded(truth[0] * double(v) + truth[1] * double(p) + truth[2] * double(m)) + gaussian(random, 2);
      const std::int64_t products[6] = {v * v, v * p, v * m, p * p, p * m, m * m};
      for (int i = 0; i < 6; ++i) sums.product[i] += products[i];
      sums.target[0] += v * t;
      sums.target[1] += p * t;
      sums.target[2] += m * t;
    }
    using Real = long double;
    const auto *s = sums.product;
    const Real a[3][3] = {{Real(s[0]), Real(s[1]), Real(s[2])},
                          {Real(s[1]), Real(s[3]), Real(s[4])},
                          {Real(s[2]), Real(s[4]), Real(s[5])}};
    const auto determinant = [&](int column) {
      Real b[3][3];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) b[i][j] = j == column ? Real(sums.target[i]) : a[i][j];
      return b[0][0] * (b[1][1] * b[2][2] - b[1][2] * b[2][1]) - b[0][1] * (b[1][0] * b[2][2] - b[1][2] * b[2][0]) +
             b[0][2] * (b[1][0] * b[2][1] - b[1][1] * b[2][0]);
    };
    const core::Predictor fitted = core::fit_predictor(sums);
    const std::int8_t got[3] = {fitted.velocity, fitted.previous, fitted.mean};
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(got[k], static_cast<double>(64 * determinant(k) / determinant(3)), 0.51);
  }
  const core::Predictor none = core::fit_predictor({});
  EXPECT_EQ(none.velocity, 0);
  EXPECT_EQ(none.previous, 0);
  EXPECT_EQ(none.mean, 0);
}

// A few particles that jump about do not decide the prediction for all others.
TEST(DifferenceCodec, FitIgnoresJumps) {
  Trajectory t = ballistic(4096, 6, 0);
  const auto smooth = check(t);
  Random random(4);
  for (auto &frame : t.frames)
    for (std::size_t i = 0; i < 4096; i += 512) frame[0][i] += gaussian(random, 1e6);
  const auto jumping = check(t);
  for (std::size_t s = 1; s < smooth.size(); ++s) EXPECT_LT(jumping[s], smooth[s] + 8 * 24 + smooth[s] / 20) << s;
}

// Few fast particles on straight lines, many that tremble: least squares would serve the fast ones only.
TEST(DifferenceCodec, NoPredictionIsBetterThanABadOne) {
  const std::size_t n = 4096;
  Trajectory t = ballistic(n, 3, 0);
  Random random(4);
  for (std::size_t s = 0; s < t.frames.size(); ++s)
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < n; ++i)
        t.frames[s][d][i] = i % 40 == 0 ? static_cast<std::int64_t>(s * (30 + i / 40 % 15)) : gaussian(random, 2);
  DifferenceState with;
  with.start(columns(t.frames[0]), n, 3);
  with.advance(columns(t.frames[1]), {});
  DifferenceState without;  // knows the last positions only
  without.start(columns(t.frames[1]), n, 3);
  std::vector<std::uint8_t> fitted;
  encode_difference(with, columns(t.frames[2]), {}, fitted);
  std::vector<std::uint8_t> last;
  encode_difference(without, columns(t.frames[2]), {}, last);
  EXPECT_LE(fitted.size(), last.size());
}

// A long axis whose margin is wider than a short one.
TEST(DifferenceCodec, BoxOfVeryDifferentEdges) {
  Random random(12);
  Trajectory t = random_walk(1500, 6, 3, 7);
  t.box = {core::GridAxis{0, 100000}, {0, 60}, {-30, 300}};
  for (auto &frame : t.frames)
    for (std::size_t d = 0; d < 3; ++d)
      for (auto &x : frame[d]) {
        const std::int64_t period = t.box[d].period;
        const auto reach = static_cast<std::uint64_t>(period / 2);
        x = t.box[d].lo + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(period) + reach)) -
            period / 4;
      }
  check(t, true);
}

// The sum behind the mean reaches its limit, and comes back from it.
TEST(DifferenceCodec, LongJourneys) {
  Trajectory t = random_walk(1100, 3, 20, 6);
  for (std::int64_t s = 0; s < 12; ++s) {
    Frame q = t.frames.back();
    for (auto &axis : q)
      for (std::size_t i = 0; i < axis.size(); ++i)
        axis[i] += (s < 8 ? 1 : -1) * static_cast<std::int64_t>(i * i * i) / 5;
    t.frames.push_back(q);
  }
  DifferenceState state;
  state.start(columns(t.frames[0]), 1100, 3);
  for (std::size_t s = 1; s <= 10; ++s) state.advance(columns(t.frames[s]), t.box);
  EXPECT_EQ(state.axes[0].deviation.back(), -core::deviation_limit);
  for (std::size_t s = 11; s < t.frames.size(); ++s) state.advance(columns(t.frames[s]), t.box);
  EXPECT_GT(state.axes[0].deviation.back(), -core::deviation_limit);
  check(t, true);
}

// Survivors are coded as if they had been alone from the start; those that come later as if they had rested.
TEST(DifferenceCodec, OtherParticles) {
  const std::size_t n = 2500;
  const Trajectory t = ballistic(n, 7, 20000);
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < n; ++i)
    if (i % 7 != 3) kept.push_back(i);
  const std::size_t added = 300;
  const auto selected = [&](std::size_t s) {
    Frame out;
    for (std::size_t d = 0; d < 3; ++d) {
      for (const std::uint32_t i : kept) out[d].push_back(t.frames[s][d][i]);
      for (std::size_t k = 0; k < added; ++k) out[d].push_back(t.frames[s < 3 ? 3 : s][d][k * 7 + 3]);
    }
    return out;
  };
  DifferenceState state;
  state.start(columns(t.frames[0]), n, 3);
  DifferenceState alone;
  alone.start(columns(selected(0)), kept.size() + added, 3);
  for (std::size_t s = 1; s <= 3; ++s) {
    state.advance(columns(t.frames[s]), t.box);
    alone.advance(columns(selected(s)), t.box);
  }
  Frame late;
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t k = 0; k < added; ++k) late[d].push_back(t.frames[3][d][k * 7 + 3]);
  state.keep(kept.data(), kept.size());
  state.add(columns(late), added);
  ASSERT_EQ(state.particles, kept.size() + added);
  for (std::size_t s = 4; s < t.frames.size(); ++s) {
    EXPECT_EQ(encoded(state, selected(s), t.box), encoded(alone, selected(s), t.box)) << s;
    state.advance(columns(selected(s)), t.box);
    alone.advance(columns(selected(s)), t.box);
  }
  state.keep(nullptr, 0);
  EXPECT_EQ(state.particles, 0u);
  EXPECT_TRUE(encoded(state, empty_frame(0), t.box).empty());
}

TEST(DifferenceCodec, PlainStateHasNoHistory) {
  const Trajectory t = ballistic(3000, 5, 0);
  DifferenceState plain;
  plain.start(columns(t.frames[0]), 3000, 3);
  plain.start(columns(t.frames[0]), 3000, 2, true);
  for (std::size_t s = 1; s < t.frames.size(); ++s) {
    Frame q = t.frames[s];
    q[2].assign(3000, 0);
    const auto bytes = encoded(plain, q, {});
    DifferenceState fresh;
    fresh.start(columns(t.frames[s - 1]), 3000, 2);
    EXPECT_EQ(bytes, encoded(fresh, q, {}));
    auto predicted = bytes;
    predicted[1] = 64;
    EXPECT_THROW(decode_difference(plain, predicted.data(), predicted.size(), {}, output(q)), Error);
    plain.advance(columns(t.frames[s]), {});
    EXPECT_TRUE(plain.axes[0].deviation.empty() && plain.axes[0].velocity.empty() && plain.axes[0].previous.empty());
  }
}

TEST(DifferenceCodec, DamageIsAnErrorOrOtherValues) {
  for (const Trajectory &t : {crystal(1100, 4, 20, {700, 900, 5000}), noise(1030, 4), random_walk(40, 4, 30, 1)}) {
    const std::size_t n = t.frames[0][0].size();
    DifferenceState state;
    state.start(columns(t.frames[0]), n, 3);
    state.advance(columns(t.frames[1]), t.box);
    std::vector<std::uint8_t> bytes;
    encode_difference(state, columns(t.frames[2]), t.box, bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      ASSERT_TRUE(is_refused(state, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}, t.box)) << size;
    auto longer = bytes;
    longer.resize(bytes.size() + 8);
    EXPECT_TRUE(is_refused(state, longer, t.box));
    Random random(6);
    for (int round = 0; round < 3000; ++round) {
      auto damaged = bytes;
      const std::uint64_t flips = 1 + random.below(4);
      // Every other time near the front, where the lengths are.
      const std::size_t range = round % 2 == 0 ? std::min<std::size_t>(64, bytes.size()) : bytes.size();
      for (std::uint64_t k = 0; k < flips; ++k)
        damaged[random.below(range)] ^= static_cast<std::uint8_t>(1u << random.below(8));
      is_refused(state, damaged, t.box);
    }
    for (int round = 0; round < 300; ++round) {
      std::vector<std::uint8_t> rubbish(16 + 8 * random.below(400));
      for (auto &byte : rubbish) byte = static_cast<std::uint8_t>(random.bits());
      rubbish[0] = 1;
      for (std::size_t k = 4; k < 14; ++k) rubbish[k] %= 12;
      for (std::size_t k = 14; k < 16; ++k) rubbish[k] = 0;
      is_refused(state, rubbish, t.box);
    }
  }
}

}  // namespace
}  // namespace gpz::codec::difference_codec_test
