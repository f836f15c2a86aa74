// SPDX-License-Identifier: BSD-3-Clause
// Particles without ids as a multiset of grid cells. The box is halved recursively, and the number of particles in each
// lower half is coded (docs/format.md, section 10e; docs/decisions/0026).
#pragma once

#include <array>

#include "gpz/codec/range_code.hpp"
#include "gpz/core/types.hpp"

namespace gpz::core {

// A box of grid cells: component d takes the values min[d] to min[d] + extent[d] - 1.
struct CellBox {
  int components = 0;
  std::array<std::int64_t, max_components> min{};
  std::array<std::uint64_t, max_components> extent{};
};

// Enough for extents below 2^52.
inline constexpr int max_halvings = 52 * max_components;

// The component that is halved at each depth. All boxes of one depth are halved along the same component.
struct Halvings {
  int depths = 0;
  std::array<std::uint8_t, max_halvings> component{};
  std::array<std::uint64_t, max_halvings> extent{};  // of the depth's largest box; others are smaller by at most 1
};

// Particle counts up to this have adaptive probabilities for each count and depth.
inline constexpr std::uint32_t learnt_count = 15;
// Adaptive probabilities at each depth for the counts n = 2 to learnt_count, n of them each.
inline constexpr std::uint32_t learnt_bits = learnt_count * (learnt_count + 1) / 2;
// Odd extents below this have clearly unequal halves, and separate probabilities.
inline constexpr std::uint64_t uneven_extent = 16;
// Number of the highest bits of a position in a box that are coded as a choice among equals. Lower bits are stored raw.
inline constexpr int position_bits = 8;

inline namespace GPZ_ISA {

inline Halvings halvings_of(const CellBox &box) {
  Halvings out;
  std::array<std::uint64_t, max_components> extent = box.extent;
  for (;;) {
    int widest = 0;
    for (int d = 1; d < box.components; ++d)
      if (extent[static_cast<std::size_t>(d)] > extent[static_cast<std::size_t>(widest)]) widest = d;
    std::uint64_t &e = extent[static_cast<std::size_t>(widest)];
    if (e <= 1) return out;
    const auto depth = static_cast<std::size_t>(out.depths++);
    out.component[depth] = static_cast<std::uint8_t>(widest);
    out.extent[depth] = e;
    e -= e / 2;
  }
}

// An odd extent leaves the extra cell to the upper half.
GPZ_HD std::uint64_t lower_half(std::uint64_t extent) { return extent / 2; }
GPZ_HD bool is_uneven(std::uint64_t extent) { return extent < uneven_extent && extent % 2 != 0; }

// Index of the first probability for n particles, 2 <= n <= learnt_count. Equal at all depths.
GPZ_HD std::uint32_t learnt_at(std::uint32_t n) { return n * (n - 1) / 2; }

// Probability, in units of 2^-24, that the lower half holds at most `middle` of n independent particles in a box of
// this extent, given that it holds between `low` and `high`.
inline std::uint32_t independent_zero(std::uint32_t n, std::uint32_t low, std::uint32_t middle, std::uint32_t high,
                                      std::uint64_t extent) {
  const std::uint64_t lower = is_uneven(extent) ? lower_half(extent) : 1;
  const std::uint64_t upper = is_uneven(extent) ? extent - lower : 1;
  std::uint64_t below = 0;
  std::uint64_t all = 0;
  std::uint64_t binomial = 1;  // n choose k
  for (std::uint32_t k = 0; k <= high; ++k) {
    std::uint64_t weight = binomial;
    for (std::uint32_t i = 0; i < n; ++i) weight *= i < k ? lower : upper;
    if (k >= low) all += weight;
    if (k >= low && k <= middle) below += weight;
    binomial = binomial * (n - k) / (k + 1);
  }
  const int excess = max_of(bit_length(all) - 40, 0);
  all = max_of(all >> excess, std::uint64_t{1});
  return checked_probability(static_cast<std::uint32_t>(((below >> excess) << 24) / all));
}

// Expected particles in the lower half. For n > learnt_count the difference from it is coded.
GPZ_HD std::uint64_t expected_lower(std::uint64_t n, std::uint64_t extent) {
  const int excess = max_of(bit_length(extent) - 15, 0);
  const std::uint64_t whole = max_of(extent >> excess, std::uint64_t{1});
  return (n * ((lower_half(extent) >> excess) << 16) / whole) >> 16;
}

// A position in a box of this extent: the number of raw low bits, and the number of outcomes above them.
GPZ_HD int plain_position_bits(std::uint64_t extent) { return max_of(bit_length(extent) - position_bits, 0); }
GPZ_HD std::uint32_t position_choices(std::uint64_t extent) {
  const int plain = plain_position_bits(extent);
  return static_cast<std::uint32_t>(((extent - 1) >> plain) + 1);
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
