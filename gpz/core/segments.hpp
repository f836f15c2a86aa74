// SPDX-License-Identifier: BSD-3-Clause
// Stage 2 of the paper (sections 4.1 and 4.2): the segments of a block. Particles are sorted by segment id.
#pragma once

#include "gpz/core/config.hpp"
#include "gpz/core/types.hpp"

namespace gpz::core {
inline namespace GPZ_ISA {

// True if the particles of a block are sorted by segment.
GPZ_HD bool is_sorted(Mode mode) { return mode == Mode::runs || mode == Mode::elias_fano; }

// Bits of the position inside a segment along an axis.
template <typename U>
GPZ_HD int offset_bits_along(U extent, int shift) {
  return min_of(shift, bit_length(extent));
}

// Segments of a block. A segment's edge is a power of two of grid cells. Unused axes have extent 0.
struct Segments {
  std::uint32_t grid[max_components] = {};    // segments along each axis
  std::uint32_t stride[max_components] = {};  // strides of the linear segment id; the first is 1
  int shift[max_components] = {};             // log2 of the segment size
  int offset_bits[max_components] = {};       // bits of the position inside a segment
  int offset_at[max_components] = {};         // first bit of each axis in the offset
  std::uint32_t count = 0;                    // number of segments
  int offset_width = 0;                       // sum of offset_bits

  // Linear segment id, times `factor`.
  template <typename U>
  GPZ_HD std::uint32_t id(U x, U y, U z, std::uint32_t factor = 1) const {
    return static_cast<std::uint32_t>(x >> shift[0]) * factor +
           static_cast<std::uint32_t>(y >> shift[1]) * (stride[1] * factor) +
           static_cast<std::uint32_t>(z >> shift[2]) * (stride[2] * factor);
  }
};

// Cell of a linear segment id below 2^13, by multiplication instead of division. The factor is too small by less than
// 1, so (id + 1/2) / grid is too small by less than 2^-18, and the exact value is at least 2^-14 above an integer.
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

// Candidates for the segment size. The shifts of two axes are enumerated, and the third follows. Elias-Fano coding of n
// particles in M segments with w offset bits takes n + M + n*w bits. Halving a segment doubles M and saves n bits, so
// the best M lies between n/2 and 2n. The search finds the shifts that lose least by rounding each axis to whole
// segments.
inline constexpr int shift_choices = 12;
inline constexpr int shift_candidates = 89;

struct ShiftCandidate {
  std::uint32_t cost;  // bits, without the n common to all candidates
  std::uint8_t shift[max_components];
};

inline constexpr std::uint32_t no_candidate = ~std::uint32_t{0};

// `extent` has fewer bits than U (grid indices have 52), and at most 31 bits after the shift.
template <typename U>
GPZ_HD std::uint32_t segments_along(U extent, int shift) {
  return static_cast<std::uint32_t>(extent >> shift) + 1;
}

// True if coding runs may beat the bitmap and deserves the exact count. The estimate assumes that the widest gap and
// length are two to four times the mean. The bitmap takes a bit for each particle and each segment
// (docs/decisions/0006-cheaper-choices.md).
GPZ_HD bool runs_may_win(std::uint32_t runs, std::uint32_t n, std::uint32_t segments) {
  const int of_runs = bit_length(runs);
  const int width = (bit_length(n) - of_runs + 2) + (bit_length(segments) - of_runs + 1);
  return runs * static_cast<std::uint32_t>(width) <= n + segments;
}

// Most segments that an encoder uses for n particles.
GPZ_HD std::uint32_t segment_limit(std::uint32_t n) { return 2 * n; }

// Bits of the segment number along the first two axes for candidate c, 0 <= c < shift_candidates. Candidates are all
// pairs (a, b) below shift_choices with a + b <= shift_choices: larger sums give more than 2^11 segments. Rows b = k
// and b = shift_choices - k together have shift_choices + 2 pairs; row 0 comes last.
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

  // Shift of axis d (0 or 1). Negative if the extent has fewer bits than wanted.
  template <typename U>
  GPZ_HD int shift(int d, U extent) const {
    return bit_length(extent) - bits[d];
  }
};

// Evaluates candidate c, 0 <= c < shift_candidates. The best has the smallest (cost, c). A shifted axis has at most
// 2^11 segments, so costs fit in 32 bits. U has 64 bits, or 32 if the extents fit.
template <typename U>
GPZ_HD ShiftCandidate shift_candidate(int c, const U extent[max_components], std::uint32_t n) {
  // Unusable candidates are computed with clamped numbers and rejected at the end, without branches before.
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
  // Smallest shift of the third axis within the limit. A larger shift would add n bits of offsets and save at most half
  // of the at most 2n segments. limit / plane has as many bits as the difference of the lengths or one more, so two
  // steps suffice.
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
