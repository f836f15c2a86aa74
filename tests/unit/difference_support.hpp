// What the tests of difference frames share: trajectories, and a second decoder.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "codec_support.hpp"
#include "gpz/cpu/difference_codec.hpp"

namespace gpz::cpu {

using test::Random;
using Frame = std::array<std::vector<std::int64_t>, 3>;
__extension__ using Wide = __int128;

constexpr std::int64_t min64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t max64 = std::numeric_limits<std::int64_t>::max();
constexpr Wide max32 = std::numeric_limits<std::int32_t>::max();

inline Frame empty_frame(std::size_t n) {
  Frame frame;
  for (auto &axis : frame) axis.assign(n, 0);
  return frame;
}

inline IndexColumns columns(const Frame &q) { return {q[0].data(), q[1].data(), q[2].data()}; }
inline IndexOutput output(Frame &q) { return {q[0].data(), q[1].data(), q[2].data()}; }

inline std::int64_t gaussian(Random &random, double sigma) {
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += random.uniform();
  return std::llround(sum * sigma);
}

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
        const std::int64_t place = lo + cell * period[d] / 10 + gaussian(random, sigma);
        if (s % 2 == 0) image[d][i] = place < lo ? period[d] : place >= lo + period[d] ? -period[d] : 0;
        q[d][i] = place + image[d][i];
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

// A second decoder: plain lists of frames, wide integers, one bit at a time.
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

inline Wide floor_divided(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }

// Histories without jumps, ending at the last position as it is stored.
inline std::vector<std::int64_t> unwrapped(const Trajectory &t, std::size_t frames, std::size_t d, std::size_t i) {
  std::vector<std::int64_t> x(frames);
  x[frames - 1] = t.frames[frames - 1][d][i];
  for (std::size_t s = frames - 1; s > 0; --s) {
    std::int64_t step = t.frames[s][d][i] - t.frames[s - 1][d][i];
    const std::int64_t period = t.box[d].period;
    if (period > 0 && step > period / 2) step -= period;
    if (period > 0 && step < -(period / 2)) step += period;
    x[s - 1] = x[s] - step;
  }
  return x;
}

inline std::int64_t expected_step(const std::vector<std::int64_t> &x, const std::int8_t *coefficient) {
  const std::size_t n = x.size();
  const auto limited = [](Wide y) { return std::clamp<Wide>(y, 1 - (1 << 22), (1 << 22) - 1); };
  Wide sum = 0;
  if (n >= 2) sum += coefficient[0] * limited(x[n - 1] - x[n - 2]);
  if (n >= 3) sum += coefficient[1] * limited(x[n - 2] - x[n - 3]);
  if (n >= 4) {
    Wide deviation = 0;
    for (std::size_t s = 1; s < n; ++s) {
      deviation -= static_cast<Wide>(s) * (x[s] - x[s - 1]);
      deviation = std::clamp<Wide>(deviation, -max32, max32);
    }
    const auto count = static_cast<Wide>(n);
    const Wide reciprocal = ((Wide{1} << 32) + count / 2) / count;
    sum += coefficient[2] * limited(floor_divided(deviation * reciprocal + (Wide{1} << 31), Wide{1} << 32));
  }
  return static_cast<std::int64_t>(floor_divided(sum + 32, 64));
}

inline Frame decode_slowly(const Trajectory &t, std::size_t frames, const std::vector<std::uint8_t> &bytes) {
  const std::size_t n = t.frames[0][0].size();
  Frame out = empty_frame(n);
  std::int8_t coefficient[3];
  std::memcpy(coefficient, &bytes[1], 3);
  const std::size_t levels = bytes[0] == 2 ? bytes[4] : 1;
  const std::size_t lags = bytes[0] == 2 ? bytes[5] : 0;
  const std::size_t widths_at = bytes[0] == 2 ? 6 + levels * lags : 4;
  const std::uint8_t *width = &bytes[widths_at];
  unsigned record_bits = 0;
  for (int k = 0; k < 10; ++k) record_bits += width[k];
  const std::size_t blocks = (n + 1023) / 1024;
  const std::size_t header = (widths_at + 10 + 7) / 8 * 8;
  Bits directory{&bytes[header]};
  const std::uint8_t *words = &bytes[header + (blocks * record_bits + 63) / 64 * 8];
  for (std::size_t first = 0; first < n; first += 1024) {
    const std::size_t m = std::min<std::size_t>(1024, n - first);
    std::uint64_t item[10];
    for (int k = 0; k < 10; ++k) item[k] = directory.take(width[k]);
    const std::uint8_t *planes[3];
    for (int d = 0; d < 3; ++d) {
      planes[d] = words;
      words += (m == 1024 ? 32 * item[d] : (m * item[d] + 31) / 32) * 4;
    }
    Bits unary{words};
    Bits flags{words + item[6] * 4};
    const std::uint8_t *exceptions = words + (item[6] + item[8]) * 4;
    words = exceptions + item[9] * 12;
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> exact;
    for (std::size_t e = 0; e < item[9]; ++e) {
      std::uint32_t place = 0;
      std::memcpy(&place, exceptions + e * 4, 4);
      std::memcpy(&exact[{place >> 16, place & 0xFFFF}], exceptions + item[9] * 4 + e * 8, 8);
    }
    for (std::size_t d = 0; d < 3; ++d) {
      std::vector<Wide> left;  // by the temporal prediction
      for (std::size_t i = 0; i < m; ++i) {
        const std::uint64_t low = item[3 + d] < 2 ? item[d] : item[d] - item[3 + d];
        std::uint64_t u = in_plane(planes[d], i, static_cast<unsigned>(item[d]), m == 1024);
        if (item[3 + d] != 1 && u >> low == (1u << item[3 + d]) - 1)
          while (unary.take(1) == 0) u += std::uint64_t{1} << low;
        const std::int64_t residual =
            u % 2 == 0 ? static_cast<std::int64_t>(u / 2) : -static_cast<std::int64_t>(u / 2) - 1;
        const auto history = unwrapped(t, frames, d, first + i);
        const std::int64_t expected = expected_step(history, coefficient);
        Wide by_neighbours = 32;
        for (std::size_t j = 0; j < lags && j < i; ++j)
          by_neighbours += static_cast<std::int8_t>(bytes[6 + (first + i) % levels * lags + j]) *
                           std::clamp<Wide>(left[i - 1 - j], 1 - (1 << 22), (1 << 22) - 1);
        left.push_back(floor_divided(by_neighbours, 64) + residual);
        std::int64_t q = history.back() + expected + static_cast<std::int64_t>(left.back());
        const auto [lo, period] = t.box[d];
        const auto exception = exact.find({d, i});
        if (exception != exact.end()) {
          Wide moved = Wide{exception->second} - history.back();
          if (period > 0 && moved > period / 2)
            moved -= period;
          else if (period > 0 && moved < -(period / 2))
            moved += period;
          left.back() = moved - expected;
        }
        if (period > 0) {
          if (q < lo)
            q += period;
          else if (q >= lo + period)
            q -= period;
          const std::int64_t margin = std::min<std::int64_t>(static_cast<std::int64_t>(item[7]), period / 4);
          if (q >= lo && q < lo + margin)
            q += flags.take(1) != 0 ? period : 0;
          else if (q < lo + period && q >= lo + period - margin)
            q -= flags.take(1) != 0 ? period : 0;
        }
        out[d][first + i] = exception != exact.end() ? exception->second : q;
      }
    }
  }
  return out;
}

}  // namespace gpz::cpu
