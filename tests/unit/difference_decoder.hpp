// SPDX-License-Identifier: BSD-3-Clause
// A second decoder of difference sections, written from section 9 of docs/format.md: plain lists of frames, wide
// integers, one bit at a time. And sections in parts, for tests that look at them or damage them.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "difference_support.hpp"

namespace gpz::codec {

__extension__ using Wide = __int128;

struct Section {
  struct Block {
    std::array<std::uint64_t, 3> width{}, head{};  // as they are stored
    std::uint64_t bitmap = 0, margin = 0, flags = 0, exceptions = 0;
    bool triples() const { return head[0] >= 4; }
  };
  std::size_t components = 3;
  std::vector<std::uint8_t> prediction;  // up to the widths of items
  std::vector<Block> blocks;
  std::vector<std::uint8_t> payload;

  std::size_t triples() const {
    return static_cast<std::size_t>(std::count_if(blocks.begin(), blocks.end(), [](auto &b) { return b.triples(); }));
  }
};

template <typename Item>
void for_each_item(Section::Block &block, std::size_t components, Item item) {
  for (std::size_t d = 0; d < components; ++d) item(block.width[d]);
  for (std::size_t d = 0; d < components; ++d) item(block.head[d]);
  for (auto *other : {&block.bitmap, &block.margin, &block.flags, &block.exceptions}) item(*other);
}

inline Section in_parts(const std::vector<std::uint8_t> &bytes, std::size_t n, std::size_t components = 3) {
  Section section;
  section.components = components;
  const std::size_t items = 2 * components + 4;
  const std::size_t widths_at = bytes[0] == 2 ? std::size_t{6} + bytes[4] * bytes[5] : 4;
  section.prediction.assign(bytes.data(), bytes.data() + widths_at);
  section.blocks.resize((n + 1023) / 1024);
  Bits directory{&bytes[(widths_at + items + 7) / 8 * 8]};
  for (auto &block : section.blocks) {
    const std::uint8_t *width = &bytes[widths_at];
    for_each_item(block, components, [&](std::uint64_t &item) { item = directory.take(*width++); });
  }
  section.payload.assign(directory.bytes + (directory.at + 63) / 64 * 8, bytes.data() + bytes.size());
  return section;
}

// Unlike in sections of the encoder, all items have 32 bits.
inline std::vector<std::uint8_t> put_together(Section section) {
  std::vector<std::uint8_t> bytes = section.prediction;
  bytes.resize(bytes.size() + 2 * section.components + 4, 32);
  bytes.resize((bytes.size() + 7) / 8 * 8);
  for (auto &block : section.blocks)
    for_each_item(block, section.components, [&](std::uint64_t item) {
      for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(item >> shift));
    });
  bytes.insert(bytes.end(), section.payload.begin(), section.payload.end());
  bytes.resize((bytes.size() + 7) / 8 * 8);
  return bytes;
}

inline Wide floor_divided(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }
inline Wide limited(Wide x, int bits) { return std::clamp<Wide>(x, 1 - (Wide{1} << bits), (Wide{1} << bits) - 1); }

inline Wide shortest_step(Wide from, Wide to, std::int64_t period) {
  const Wide step = to - from;
  return period > 0 && step > period / 2 ? step - period : period > 0 && step < -(period / 2) ? step + period : step;
}

// Histories without jumps, ending at the last position as it is stored.
inline std::vector<std::int64_t> unwrapped(const Trajectory &t, std::size_t frames, std::size_t d, std::size_t i) {
  std::vector<std::int64_t> x(frames);
  x[frames - 1] = t.frames[frames - 1][d][i];
  for (std::size_t s = frames - 1; s > 0; --s)
    x[s - 1] =
        x[s] - static_cast<std::int64_t>(shortest_step(t.frames[s - 1][d][i], t.frames[s][d][i], t.box[d].period));
  return x;
}

// N without what neighbours say.
inline Wide expected_in_time(const std::vector<std::int64_t> &x, const std::vector<std::uint8_t> &prediction) {
  const std::size_t n = x.size();
  const auto coefficient = [&](std::size_t k) { return Wide{static_cast<std::int8_t>(prediction[k])}; };
  Wide sum = 32;
  if (n >= 2) sum += coefficient(1) * limited(x[n - 1] - x[n - 2], 22);
  if (n >= 3) sum += coefficient(2) * limited(x[n - 2] - x[n - 3], 22);
  if (n < 4) return sum;
  Wide deviation = 0;
  for (std::size_t s = 1; s < n; ++s) deviation = limited(deviation - static_cast<Wide>(s) * (x[s] - x[s - 1]), 31);
  const auto count = static_cast<Wide>(n);
  const Wide reciprocal = ((Wide{1} << 32) + count / 2) / count;
  const Wide mean = limited(floor_divided(deviation * reciprocal + (Wide{1} << 28), Wide{1} << 29), 23);
  return sum + floor_divided(coefficient(3) * mean, 8);
}

inline int number_to_step(std::uint64_t u) {
  return u % 2 == 0 ? -static_cast<int>(u / 2) : static_cast<int>(u / 2) + 1;
}

// All triples in the order of their ranks, where what is expected lies k eighths above a step.
inline std::vector<std::array<std::uint64_t, 3>> ranked_triples(const std::array<int, 3> &k) {
  std::vector<std::array<std::uint64_t, 3>> all;
  for (std::uint64_t rank = 0; rank < 512; ++rank) all.push_back({rank / 64, rank / 8 % 8, rank % 8});
  const auto distance = [&k](const std::array<std::uint64_t, 3> &u) {
    int sum = 0;
    for (std::size_t d = 0; d < 3; ++d) sum += (8 * number_to_step(u[d]) - k[d]) * (8 * number_to_step(u[d]) - k[d]);
    return sum;
  };
  std::stable_sort(all.begin(), all.end(), [&](auto &a, auto &b) { return distance(a) < distance(b); });
  return all;
}

// Frame number `frames` of the trajectory, out of those before.
inline Frame decode_slowly(const Trajectory &t, std::size_t frames, const std::vector<std::uint8_t> &bytes) {
  const std::size_t n = t.frames[0][0].size();
  const Section section = in_parts(bytes, n);
  const auto &prediction = section.prediction;
  const std::size_t levels = prediction[0] == 2 ? prediction[4] : 1;
  const std::size_t lags = prediction[0] == 2 ? prediction[5] : 0;
  std::map<std::array<int, 3>, std::vector<std::array<std::uint64_t, 3>>> ranked;
  Frame out = empty_frame(n);
  const std::uint8_t *words = section.payload.data();
  for (std::size_t first = 0; first < n; first += 1024) {
    const std::size_t m = std::min<std::size_t>(1024, n - first);
    const Section::Block &block = section.blocks[first / 1024];
    const std::uint8_t *planes[3];
    for (std::size_t d = 0; d < 3; ++d) {
      planes[d] = words;
      words += (m == 1024 ? 32 * block.width[d] : (m * block.width[d] + 31) / 32) * 4;
    }
    Bits unary{words};
    Bits flags{words + block.bitmap * 4};
    const std::uint8_t *exceptions = words + (block.bitmap + block.flags) * 4;
    words = exceptions + block.exceptions * 12;
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> exact;
    for (std::size_t e = 0; e < block.exceptions; ++e) {
      std::uint32_t index = 0;
      std::memcpy(&index, exceptions + e * 4, 4);
      std::memcpy(&exact[{index >> 16, index & 0xFFFF}], exceptions + block.exceptions * 4 + e * 8, 8);
    }

    std::vector<std::array<std::uint64_t, 3>> number(m);
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < m; ++i) {
        const std::uint64_t head = block.head[d] % 4;
        const std::uint64_t low = head < 2 ? block.width[d] : block.width[d] - head;
        std::uint64_t &u = number[i][d] = in_plane(planes[d], i, static_cast<unsigned>(block.width[d]), m == 1024);
        if (head != 1 && u >> low == (1u << head) - 1)
          while (unary.take(1) == 0) u += std::uint64_t{1} << low;
      }

    std::vector<std::array<Wide, 3>> left(m);  // by the prediction without neighbours
    for (std::size_t i = 0; i < m; ++i) {
      std::array<Wide, 3> alone;
      std::array<Wide, 3> together;
      for (std::size_t d = 0; d < 3; ++d) {
        alone[d] = together[d] = expected_in_time(unwrapped(t, frames, d, first + i), prediction);
        for (std::size_t j = 0; j < lags && j < i; ++j)
          together[d] += static_cast<std::int8_t>(prediction[6 + (first + i) % levels * lags + j]) *
                         limited(left[i - 1 - j][d], 20);
      }
      if (block.triples()) {
        std::array<int, 3> k;
        for (std::size_t d = 0; d < 3; ++d) k[d] = (together[d] >> 4 & 1) != (together[d] >> 5 & 1) ? 1 : 3;
        auto &triples = ranked[k];
        if (triples.empty()) triples = ranked_triples(k);
        number[i] = triples.at(number[i][0]);
      }
      for (std::size_t d = 0; d < 3; ++d) {
        const std::uint64_t u = number[i][d];
        const std::int64_t x = u % 2 == 0 ? -static_cast<std::int64_t>(u / 2) : static_cast<std::int64_t>(u / 2) + 1;
        const Wide moved = floor_divided(together[d], 64) + ((together[d] & 32) != 0 ? x : -x);
        const std::int64_t last = t.frames[frames - 1][d][first + i];
        out[d][first + i] = static_cast<std::int64_t>(last + moved);
        const auto exception = exact.find({d, i});
        left[i][d] = (exception == exact.end() ? moved : shortest_step(last, exception->second, t.box[d].period)) -
                     floor_divided(alone[d], 64);
      }
    }

    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < m; ++i) {
        std::int64_t &q = out[d][first + i];
        const auto [lo, period] = t.box[d];
        if (period > 0) {
          if (q < lo)
            q += period;
          else if (q >= lo + period)
            q -= period;
          const std::int64_t margin = std::min<std::int64_t>(static_cast<std::int64_t>(block.margin), period / 4);
          if (q >= lo && q < lo + margin)
            q += flags.take(1) != 0 ? period : 0;
          else if (q < lo + period && q >= lo + period - margin)
            q -= flags.take(1) != 0 ? period : 0;
        }
        const auto exception = exact.find({d, i});
        if (exception != exact.end()) q = exception->second;
      }
  }
  return out;
}

}  // namespace gpz::codec
