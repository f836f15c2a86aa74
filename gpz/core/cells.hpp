// SPDX-License-Identifier: BSD-3-Clause
// Particles without identity as a set of cells of the grid: the box is halved again and again, and each half is said
// how many particles it has (docs/format.md, section 10e; docs/decisions/0026).
#pragma once

#include <array>

#include "gpz/core/range_code.hpp"
#include "gpz/core/types.hpp"

namespace gpz::core {

// The cells of a box: those of component d are min[d], min[d] + 1, ..., extent[d] of them.
struct CellBox {
  int components = 0;
  std::array<std::int64_t, max_components> min{};
  std::array<std::uint64_t, max_components> extent{};
};

// Halvings of a box whose extents are below 2^52.
inline constexpr int max_halvings = 52 * max_components;

// Which component is halved at each depth: all boxes of a depth are halved alike.
struct Halvings {
  int depths = 0;
  std::array<std::uint8_t, max_halvings> component{};
  std::array<std::uint64_t, max_halvings> extent{};  // of the largest box of the depth; others are smaller by 1 at most
};

// Counts up to this are coded with what was learnt about this count at this depth.
inline constexpr std::uint32_t learnt_count = 15;
// Probabilities for the counts 2 to learnt_count: one less than particles for each.
inline constexpr std::uint32_t learnt_bits = learnt_count * (learnt_count + 1) / 2;
// Extents below this are halved into parts that differ so much that they are learnt apart.
inline constexpr std::uint64_t uneven_extent = 16;
// Bits of a place in a box that are coded as a choice; those below are stored as they are.
inline constexpr int place_bits = 8;

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

// The lower half is never the larger one.
GPZ_HD std::uint64_t lower_half(std::uint64_t extent) { return extent / 2; }
GPZ_HD bool is_uneven(std::uint64_t extent) { return extent < uneven_extent && extent % 2 != 0; }

// Where the probabilities of n particles begin, 2 <= n <= learnt_count: those of all depths have the same places.
GPZ_HD std::uint32_t learnt_at(std::uint32_t n) { return n * (n - 1) / 2; }

// Of n particles, low <= k <= high are in the lower half: the probability that k is at most `middle`, in units of
// 2^-24. As if particles were independent, in a box of this extent.
inline std::uint32_t independent_zero(std::uint32_t n, std::uint32_t low, std::uint32_t middle, std::uint32_t high,
                                      std::uint64_t extent) {
  const std::uint64_t lower = is_uneven(extent) ? lower_half(extent) : 1;
  const std::uint64_t upper = is_uneven(extent) ? extent - lower : 1;
  std::uint64_t below = 0;
  std::uint64_t all = 0;
  std::uint64_t ways = 1;  // to choose k of n
  for (std::uint32_t k = 0; k <= high; ++k) {
    std::uint64_t weight = ways;
    for (std::uint32_t i = 0; i < n; ++i) weight *= i < k ? lower : upper;
    if (k >= low) all += weight;
    if (k >= low && k <= middle) below += weight;
    ways = ways * (n - k) / (k + 1);
  }
  const int excess = max_of(bit_length(all) - 40, 0);
  all = max_of(all >> excess, std::uint64_t{1});
  return checked_probability(static_cast<std::uint32_t>(((below >> excess) << 24) / all));
}

// How many of n particles are expected in the lower half; a difference from it is coded where n > learnt_count.
GPZ_HD std::uint64_t expected_lower(std::uint64_t n, std::uint64_t extent) {
  const int excess = max_of(bit_length(extent) - 15, 0);
  const std::uint64_t whole = max_of(extent >> excess, std::uint64_t{1});
  return (n * ((lower_half(extent) >> excess) << 16) / whole) >> 16;
}

// A place in a box of this extent: bits that are stored as they are, and outcomes of the choice above them.
GPZ_HD int plain_place_bits(std::uint64_t extent) { return max_of(bit_length(extent) - place_bits, 0); }
GPZ_HD std::uint32_t place_choices(std::uint64_t extent) {
  const int plain = plain_place_bits(extent);
  return static_cast<std::uint32_t>(((extent - 1) >> plain) + 1);
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
