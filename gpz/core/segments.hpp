// SPDX-License-Identifier: BSD-3-Clause
// Stage 2 of the paper (sections 4.1 and 4.2): the segments of a block, the key that particles are sorted by.
#pragma once

#include "gpz/core/config.hpp"
#include "gpz/core/types.hpp"

namespace gpz::core {
inline namespace GPZ_ISA {

// Whether the particles of a block are stored by segment.
GPZ_HD bool is_sorted(Mode mode) { return mode == Mode::runs || mode == Mode::elias_fano; }

// Bits of the position inside a segment along an axis.
template <typename U>
GPZ_HD int offset_bits_along(U extent, int shift) {
  return min_of(shift, bit_length(extent));
}

// Segments of a block: per axis a power-of-two number of grid cells. Unused axes have extent 0.
struct Segments {
  std::uint32_t grid[max_components] = {};    // segments along each axis
  std::uint32_t stride[max_components] = {};  // of the linear segment id; the first is 1
  int shift[max_components] = {};             // log2 of the segment size
  int offset_bits[max_components] = {};       // bits of the position inside a segment
  int offset_at[max_components] = {};         // where they start in the offset
  std::uint32_t count = 0;                    // of all segments
  int offset_width = 0;                       // sum of offset_bits

  // Linear segment id, times `factor`.
  template <typename U>
  GPZ_HD std::uint32_t id(U x, U y, U z, std::uint32_t factor = 1) const {
    return static_cast<std::uint32_t>(x >> shift[0]) * factor +
           static_cast<std::uint32_t>(y >> shift[1]) * (stride[1] * factor) +
           static_cast<std::uint32_t>(z >> shift[2]) * (stride[2] * factor);
  }
};

// The cell of a linear segment id below 2^13 in a grid of at most as many, by multiplication: the factor is less than
// one too small, so (id + 1/2) / grid comes out less than 2^-18 too small, and it is at least 2^-14 above an integer.
struct CellFinder {
  std::uint32_t grid[2];
  std::uint32_t factor[2];

  GPZ_HD explicit CellFinder(const Segments &segments) {
    for (int d = 0; d < 2; ++d) {
      grid[d] = segments.grid[d];
      factor[d] = 0x80000000u / segments.grid[d];
    }
  }

  GPZ_HD void operator()(std::uint32_t id, std::uint32_t cell[max_components]) const {
    const std::uint32_t row = divide(id, 0);
    cell[0] = id - row * grid[0];
    cell[2] = divide(row, 1);
    cell[1] = row - cell[2] * grid[1];
  }

 private:
  GPZ_HD std::uint32_t divide(std::uint32_t id, int d) const {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(2 * id + 1) * factor[d]) >> 32);
  }
};

// Fills `out` from extents and shifts; false if there are more than `limit` segments (limit <= 2^15) or more than 64
// offset bits.
template <typename U>
GPZ_HD bool make_segments(const U extent[max_components], const std::uint8_t shift[max_components], std::uint32_t limit,
                          Segments &out) {
  out.count = 1;
  out.offset_width = 0;
  for (int d = 0; d < max_components; ++d) {
    if (shift[d] >= 8 * sizeof(U)) return false;
    const U last = extent[d] >> shift[d];
    if (last >= limit) return false;
    out.grid[d] = static_cast<std::uint32_t>(last) + 1;
    out.stride[d] = out.count;
    out.count *= out.grid[d];
    if (out.count > limit) return false;
    out.shift[d] = shift[d];
    out.offset_bits[d] = offset_bits_along(extent[d], shift[d]);
    out.offset_at[d] = out.offset_width;
    out.offset_width += out.offset_bits[d];
  }
  return out.offset_width <= 64;
}

// Candidates for the segment size: shifts of the first two axes are enumerated, the third follows. Elias-Fano coding of
// n particles in M segments with w offset bits takes n + M + n*w bits; halving a segment doubles M and saves n bits, so
// the best M lies between n/2 and 2n, and what is searched is how the rounding of each axis to whole segments fits.
inline constexpr int shift_choices = 12;
inline constexpr int shift_candidates = 89;

struct ShiftCandidate {
  std::uint32_t cost;  // bits, without the n that all have in common
  std::uint8_t shift[max_components];
};

inline constexpr std::uint32_t no_candidate = ~std::uint32_t{0};

// Of an extent with less bits than U (grid indices have 52), of which at most 31 are left after the shift.
template <typename U>
GPZ_HD std::uint32_t segments_along(U extent, int shift) {
  return static_cast<std::uint32_t>(extent >> shift) + 1;
}

// Whether `runs` runs of n particles in `segments` segments are worth a closer look: whether an estimate of their bits,
// with gaps and lengths of two to four times the mean as the widest, is no more than the bitmap's bit for each particle
// and segment (docs/decisions/0006-cheaper-choices.md).
GPZ_HD bool runs_may_win(std::uint32_t runs, std::uint32_t n, std::uint32_t segments) {
  const int of_runs = bit_length(runs);
  const int width = (bit_length(n) - of_runs + 2) + (bit_length(segments) - of_runs + 1);
  return runs * static_cast<std::uint32_t>(width) <= n + segments;
}

// The most segments an encoder uses for n particles.
GPZ_HD std::uint32_t segment_limit(std::uint32_t n) { return 2 * n; }

// Bits of the segment number along the first two axes, of candidate c, 0 <= c < shift_candidates: all pairs (a, b)
// below shift_choices that add up to at most that, since two axes with more have more than 2^11 segments together. The
// rows b = k and b = shift_choices - k have shift_choices + 2 pairs together; row 0 comes last.
struct ShiftChoice {
  int bits[2];

  GPZ_HD explicit ShiftChoice(int c) {
    constexpr int both_rows = shift_choices + 2;
    constexpr int row_0 = shift_candidates - shift_choices;
    const int row = c / both_rows + 1;
    const int at = c % both_rows;
    const int length = shift_choices + 1 - row;
    const bool first = at < length;
    bits[0] = c >= row_0 ? c - row_0 : first ? at : at - length;
    bits[1] = c >= row_0 ? 0 : first ? row : shift_choices - row;
  }

  // Of axis d, 0 or 1; negative if the extent has not that many bits.
  template <typename U>
  GPZ_HD int shift(int d, U extent) const {
    return bit_length(extent) - bits[d];
  }
};

// Candidate number c, 0 <= c < shift_candidates. Best is the smallest (cost, c). After its shift an axis has at most
// 2^11 segments, so 32 bits hold everything. U: 64 bits, or 32 where they hold the extents.
template <typename U>
GPZ_HD ShiftCandidate shift_candidate(int c, const U extent[max_components], std::uint32_t n) {
  // What is no candidate is worked out as well, as if it were another, so that there is no branch until the end.
  ShiftCandidate out{};
  const std::uint32_t limit = segment_limit(n);
  const ShiftChoice choice(c);
  std::uint32_t plane = 1;
  int width = 0;
  bool usable = true;
  for (int d = 0; d < 2; ++d) {
    const int wanted = choice.shift(d, extent[d]);
    const int shift = max_of(wanted, 0);
    usable &= wanted >= 0;
    plane *= segments_along(extent[d], shift);
    width += shift;
    out.shift[d] = static_cast<std::uint8_t>(shift);
  }
  usable &= plane <= limit;
  plane = min_of(plane, limit);
  // The smallest shift of the third axis that keeps the limit: one more would add n bits of offsets and save half of
  // the segments at most, which are no more than 2n. The number of segments that are left for the axis, limit / plane,
  // has as many bits as the difference says or one more, so that two steps are enough.
  const int bits = bit_length(extent[2]);
  int shift = max_of(0, bits - (bit_length(limit) - bit_length(plane) + 1));
  for (int k = 0; k < 2; ++k) shift += segments_along(extent[2], shift) * plane > limit ? 1 : 0;
  usable &= width + shift <= 64;
  const std::uint32_t cost = plane * segments_along(extent[2], shift) + n * static_cast<std::uint32_t>(width + shift);
  out.cost = usable ? cost : no_candidate;
  out.shift[2] = static_cast<std::uint8_t>(shift);
  return out;
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
