// Stage 2 of the paper (sections 4.1 and 4.2): the segments of a block, the key that particles are sorted by.
#pragma once

#include "gpz/core/config.hpp"
#include "gpz/core/types.hpp"

namespace gpz::core {
inline namespace GPZ_ISA {

// Segments of a block: per axis a power-of-two number of grid cells. Unused axes have extent 0.
struct Segments {
  std::uint32_t grid[max_components] = {};    // segments along each axis
  std::uint32_t stride[max_components] = {};  // of the linear segment id
  int shift[max_components] = {};             // log2 of the segment size
  int offset_bits[max_components] = {};       // bits of the position inside a segment
  int offset_at[max_components] = {};         // where they start in the offset
  std::uint32_t count = 0;                    // of all segments
  int offset_width = 0;                       // sum of offset_bits

  template <typename U>
  GPZ_HD std::uint32_t id(U x, U y, U z) const {
    return static_cast<std::uint32_t>(x >> shift[0]) * stride[0] +
           static_cast<std::uint32_t>(y >> shift[1]) * stride[1] +
           static_cast<std::uint32_t>(z >> shift[2]) * stride[2];
  }
};

// The cell of a linear segment id, by multiplication: a float holds id + 0.5 exactly, and as long as id < 2^22 the
// rounding of reciprocal and product is smaller than the distance of (id + 0.5) / grid to the next integer.
struct CellFinder {
  std::uint32_t grid[2];
  float reciprocal[2];

  GPZ_HD explicit CellFinder(const Segments &segments) {
    for (int d = 0; d < 2; ++d) {
      grid[d] = segments.grid[d];
      reciprocal[d] = 1.0f / static_cast<float>(segments.grid[d]);
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
    const float quotient = (static_cast<float>(static_cast<std::int32_t>(id)) + 0.5f) * reciprocal[d];
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(quotient));
  }
};

// Fills `out` from extents and shifts; false if there are more than `limit` segments (limit < 2^31) or more than 64
// offset bits.
GPZ_HD bool make_segments(const std::uint64_t extent[max_components], const std::uint8_t shift[max_components],
                          std::uint32_t limit, Segments &out) {
  out.count = 1;
  out.offset_width = 0;
  for (int d = 0; d < max_components; ++d) {
    if (shift[d] > 63) return false;
    const std::uint64_t last = extent[d] >> shift[d];
    if (last >= limit) return false;
    out.grid[d] = static_cast<std::uint32_t>(last) + 1;
    out.stride[d] = out.count;
    const std::uint64_t count = static_cast<std::uint64_t>(out.count) * out.grid[d];
    if (count > limit) return false;
    out.count = static_cast<std::uint32_t>(count);
    out.shift[d] = shift[d];
    out.offset_bits[d] = min_of<int>(shift[d], bit_length(extent[d]));
    out.offset_at[d] = out.offset_width;
    out.offset_width += out.offset_bits[d];
  }
  return out.offset_width <= 64;
}

// Candidates for the segment size: shifts of the first two axes are enumerated, the third follows. Elias-Fano coding of
// n particles in M segments with w offset bits takes n + M + n*w bits; halving a segment doubles M and saves n bits, so
// the best M lies between n/2 and 2n, and what is searched is how the rounding of each axis to whole segments fits.
inline constexpr int shift_choices = 12;
inline constexpr int shift_candidates = shift_choices * shift_choices;

struct ShiftCandidate {
  std::uint32_t cost;  // bits, without the n that all have in common
  std::uint8_t shift[max_components];
};

inline constexpr std::uint32_t no_candidate = ~std::uint32_t{0};

// The most segments an encoder uses for n particles.
GPZ_HD std::uint32_t segment_limit(std::uint32_t n) { return 2 * n; }

// Candidate number c, 0 <= c < shift_candidates. Best is the smallest (cost, c). After its shift an axis has at most
// 2^11 segments, so 32 bits hold everything.
GPZ_HD ShiftCandidate shift_candidate(int c, const std::uint64_t extent[max_components], std::uint32_t n) {
  ShiftCandidate out{no_candidate, {0, 0, 0}};
  const std::uint32_t limit = segment_limit(n);
  const int choice[2] = {c % shift_choices, c / shift_choices};
  std::uint32_t plane = 1;
  int width = 0;
  for (int d = 0; d < 2; ++d) {
    const int shift = bit_length(extent[d]) - choice[d];
    if (shift < 0) return out;
    plane *= static_cast<std::uint32_t>(extent[d] >> shift) + 1;
    width += shift;
    out.shift[d] = static_cast<std::uint8_t>(shift);
  }
  if (plane > limit) return out;
  const std::uint32_t room = limit / plane;  // segments left for the third axis
  const int bits = bit_length(extent[2]);
  int shift = max_of(0, bits - bit_length(room));
  if ((extent[2] >> shift) >= room) ++shift;
  for (int k = 0; k < 3 && shift <= bits && width + shift <= 64; ++k, ++shift) {
    const std::uint32_t cost =
        plane * (static_cast<std::uint32_t>(extent[2] >> shift) + 1) + n * static_cast<std::uint32_t>(width + shift);
    if (cost < out.cost) {
      out.cost = cost;
      out.shift[2] = static_cast<std::uint8_t>(shift);
    }
  }
  return out;
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
