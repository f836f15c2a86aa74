// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of difference sections: trajectories, and what all kernels make of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "all_kernels.hpp"
#include "codec_support.hpp"
#include "gpz/codec/difference_codec.hpp"
#include "gpz/error.hpp"
#include "gpz/kernels/difference_kernels.hpp"

namespace gpz::codec {

using test::Random;
using Frame = std::array<std::vector<std::int64_t>, 3>;
constexpr std::int64_t min64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t max64 = std::numeric_limits<std::int64_t>::max();

inline Frame empty_frame(std::size_t n) {
  Frame frame;
  for (auto &axis : frame) axis.assign(n, 0);
  return frame;
}

inline IndexColumns columns(const Frame &q) { return {q[0].data(), q[1].data(), q[2].data()}; }
inline IndexOutput output(Frame &q) { return {q[0].data(), q[1].data(), q[2].data()}; }

inline double normal(Random &random) {
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += random.uniform();
  return sum;
}
inline std::int64_t gaussian(Random &random, double sigma) { return std::llround(normal(random) * sigma); }

struct Trajectory {
  std::vector<Frame> frames;
  GridBox box{};
};

inline std::int64_t rounded(double x) { return static_cast<std::int64_t>(std::floor(x + 0.5)); }

inline Trajectory random_walk(std::size_t n, std::size_t steps, double sigma, std::uint64_t seed) {
  Random random(seed);
  Trajectory t;
  Frame q = empty_frame(n);
  for (std::size_t s = 0; s < steps; ++s) {
    for (auto &axis : q)
      for (auto &x : axis) x += s == 0 ? static_cast<std::int64_t>(random.below(30000)) : gaussian(random, sigma);
    t.frames.push_back(q);
  }
  return t;
}

// Vibration about lattice places, some of them on the edges of the box: particles are brought back every other frame
// only, so that some stick out.
inline Trajectory crystal(std::size_t n, std::size_t steps, double sigma, const std::array<std::int64_t, 3> &period) {
  Random random(n + 5);
  Trajectory t;
  const std::int64_t lo = -777;
  for (std::size_t d = 0; d < 3; ++d) t.box[d] = {lo, period[d]};
  std::array<std::vector<std::int64_t>, 3> image;
  for (auto &axis : image) axis.assign(n, 0);
  for (std::size_t s = 0; s < steps; ++s) {
    Frame q = empty_frame(n);
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < n; ++i) {
        const auto cell = static_cast<std::int64_t>((i + d) % 10);
        const std::int64_t position = lo + cell * period[d] / 10 + gaussian(random, sigma);
        if (s % 2 == 0) image[d][i] = position < lo ? period[d] : position >= lo + period[d] ? -period[d] : 0;
        q[d][i] = position + image[d][i];
      }
    t.frames.push_back(q);
  }
  return t;
}

inline Trajectory ballistic(std::size_t n, std::size_t steps, std::int64_t period) {
  Random random(11);
  Trajectory t;
  Frame start = empty_frame(n);
  Frame speed = empty_frame(n);
  for (std::size_t d = 0; d < 3; ++d) {
    if (period != 0) t.box[d] = {0, period};
    for (std::size_t i = 0; i < n; ++i) {
      start[d][i] = static_cast<std::int64_t>(random.below(20000));
      speed[d][i] = gaussian(random, 500);
    }
  }
  for (std::size_t s = 0; s < steps; ++s) {
    Frame q = empty_frame(n);
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t x = start[d][i] + static_cast<std::int64_t>(s) * speed[d][i];
        q[d][i] = period == 0 ? x : ((x % period) + period) % period;
      }
    t.frames.push_back(q);
  }
  return t;
}

inline Trajectory noise(std::size_t n, std::size_t steps) {
  Random random(3);
  Trajectory t;
  for (std::size_t d = 0; d < 3; ++d) t.box[d] = {-4, 1000 + static_cast<std::int64_t>(d)};
  const std::int64_t odd[] = {min64, max64, 0, -1, 1, min64 + 1, max64 - 1, -4, 996, 1 << 22, -(1 << 22)};
  for (std::size_t s = 0; s < steps; ++s) {
    Frame q = empty_frame(n);
    for (auto &axis : q)
      for (auto &x : axis) {
        const std::uint64_t kind = random.below(4);
        x = kind == 0   ? static_cast<std::int64_t>(random.bits())
            : kind == 1 ? odd[random.below(std::size(odd))]
                        : static_cast<std::int64_t>(random.below(2000)) - 500;
      }
    t.frames.push_back(q);
  }
  return t;
}

// Particles in groups of `group`. Each group moves as one, except for some trembling.
inline Trajectory molecules(std::size_t n, std::size_t steps, std::size_t group, double together, double alone) {
  Random random(group);
  Trajectory t = random_walk(n, 1, 0, 3);
  while (t.frames.size() < steps) {
    Frame q = t.frames.back();
    for (auto &axis : q)
      for (std::size_t i = 0; i < n; i += group) {
        const std::int64_t moved = gaussian(random, together);
        for (std::size_t k = i; k < std::min(n, i + group); ++k) axis[k] += moved + gaussian(random, alone);
      }
    t.frames.push_back(q);
  }
  return t;
}

// Some particles that go too far for a residual.
inline Trajectory jumping(Trajectory t) {
  Random random(21);
  for (auto &frame : t.frames)
    for (auto &axis : frame)
      for (std::size_t i = random.below(30); i < axis.size(); i += 1 + random.below(200))
        axis[i] += gaussian(random, 1e10);
  return t;
}

// For second decoders: one bit at a time.
struct Bits {
  const std::uint8_t *bytes;
  std::uint64_t at = 0;
  std::uint64_t take(unsigned width) {
    std::uint64_t value = 0;
    for (unsigned b = 0; b < width; ++b, ++at) value |= std::uint64_t{bytes[at / 8] >> at % 8 & 1u} << b;
    return value;
  }
};

// A value of a plane of 32 lanes, or of one.
inline std::uint32_t in_plane(const std::uint8_t *bytes, std::size_t i, unsigned width, bool full) {
  std::uint32_t value = 0;
  for (unsigned b = 0; b < width; ++b) {
    const std::size_t bit = (full ? i / 32 : i) * width + b;
    const std::size_t word = full ? bit / 32 * 32 + i % 32 : bit / 32;
    const std::uint32_t set = bytes[word * 4 + bit % 32 / 8] >> bit % 8 & 1;
    value |= set << b;
  }
  return value;
}

inline DifferenceState state_after(const Trajectory &t, std::size_t frames, int components = 3) {
  DifferenceState state;
  state.start(columns(t.frames[0]), t.frames[0][0].size(), components);
  for (std::size_t s = 1; s < frames; ++s) state.advance(columns(t.frames[s]), t.box);
  return state;
}

inline bool operator==(const DifferenceState::Axis &a, const DifferenceState::Axis &b) {
  return a.last == b.last && a.deviation == b.deviation && a.velocity == b.velocity && a.previous == b.previous;
}

// The section of a frame: the same from all kernels, which decode it again, and follow it to the state behind it.
inline std::vector<std::uint8_t> encoded(const DifferenceState &state, const Frame &q, const GridBox &box,
                                         bool neighbours = false) {
  std::vector<std::uint8_t> bytes;
  encode_difference(state, columns(q), box, bytes, kernels(), neighbours);
  EXPECT_EQ(bytes.size() % 8, 0u);
  for (const Kernels *kernels : all_kernels()) {
    std::vector<std::uint8_t> others;
    encode_difference(state, columns(q), box, others, *kernels, neighbours);
    EXPECT_EQ(bytes, others) << kernels->name;
    Frame decoded = empty_frame(state.particles);
    decode_difference(state, bytes.data(), bytes.size(), box, output(decoded), *kernels);
    for (std::size_t d = 0; d < static_cast<std::size_t>(state.components); ++d)
      EXPECT_EQ(decoded[d], q[d]) << kernels->name;
    DifferenceState advanced = state;
    advanced.advance(columns(q), box, *kernels);
    DifferenceState followed = state;
    follow_difference(followed, bytes.data(), bytes.size(), box, *kernels);
    EXPECT_EQ(followed.frames, advanced.frames);
    EXPECT_TRUE(followed.axes == advanced.axes) << kernels->name;
  }
  return bytes;
}

// Whether all kernels refuse a section, or none does. Values out of nowhere are fine; anything else is for the
// sanitizers.
inline bool is_refused(const DifferenceState &state, const std::vector<std::uint8_t> &bytes, const GridBox &box) {
  const std::unique_ptr<std::uint8_t[]> copy(new std::uint8_t[bytes.size()]);  // nothing behind it is readable
  std::copy(bytes.begin(), bytes.end(), copy.get());
  Frame decoded = empty_frame(state.particles);
  std::size_t refused = 0;
  for (const Kernels *kernels : all_kernels()) {
    try {
      decode_difference(state, copy.get(), bytes.size(), box, output(decoded), *kernels);
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), Status::corrupt);
      ++refused;
    }
  }
  EXPECT_TRUE(refused == 0 || refused == all_kernels().size());
  return refused != 0;
}

}  // namespace gpz::codec
