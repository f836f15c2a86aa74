// SPDX-License-Identifier: BSD-3-Clause
// Sites of a crystal on the grid, and where the particle of a site is expected (docs/format.md, section 10e;
// docs/decisions/0026). Integers only.
#pragma once

#include <array>

#include "gpz/core/residual.hpp"

namespace gpz::core {

inline constexpr int site_fraction = 20;      // bits of a coordinate of a site below one grid step
inline constexpr int deviation_fraction = 6;  // and of how far a particle is from its site
// Limits in grid steps, so that no sum of the coordinates below leaves 63 bits.
inline constexpr std::int64_t max_site_reach = std::int64_t{1} << 40;
inline constexpr std::int64_t max_cell_edge = std::int64_t{1} << 21;
inline constexpr std::int64_t max_cell_number = std::int64_t{1} << 17;
// Deviations count up to this for their neighbours.
inline constexpr std::int64_t deviation_most = (std::int64_t{1} << 26) - 1;
inline constexpr int max_sublattices = 8;
inline constexpr int max_site_neighbours = 8;
inline constexpr int weight_fraction = 12;  // bits of the weight of a neighbour below 1

using SitePlace = std::array<std::int64_t, max_components>;  // in units of 2^-site_fraction grid steps

// The part of the grid whose sites count, in units of a site place: at least `low`, below `high`.
struct SiteWindow {
  SitePlace low{};
  SitePlace high{};
};

// Sites i in [first, end) of a row.
struct SiteRow {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

// A site whose particle, decoded earlier, says something about another one: cells further, in another sublattice or in
// its own.
struct SiteNeighbour {
  int sublattice = 0;
  std::array<int, max_components> cells{};  // -128 to 127
};

inline namespace GPZ_ISA {

GPZ_HD std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {  // b > 0
  const std::int64_t q = a / b;
  return a % b < 0 ? q - 1 : q;
}
GPZ_HD std::int64_t ceil_quotient(std::int64_t a, std::int64_t b) { return -floor_quotient(-a, b); }

// The sites begin + i edge that are in the window, edge != 0 in some component. All are below 2^62 in magnitude.
inline SiteRow row_in(const SiteWindow &window, const SitePlace &begin, const SitePlace &edge, int components) {
  SiteRow row{INT64_MIN, INT64_MAX};
  for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
    const std::int64_t low = window.low[d] - begin[d];
    const std::int64_t high = window.high[d] - begin[d];
    if (edge[d] == 0) {
      if (low > 0 || high <= 0) return {0, 0};
      continue;
    }
    const bool up = edge[d] > 0;
    const std::int64_t first = up ? ceil_quotient(low, edge[d]) : floor_quotient(-high, -edge[d]) + 1;
    const std::int64_t end = up ? ceil_quotient(high, edge[d]) : floor_quotient(-low, -edge[d]) + 1;
    row.first = max_of(row.first, first);
    row.end = min_of(row.end, end);
  }
  return row.first < row.end ? row : SiteRow{0, 0};
}

// Whether a neighbour is decoded before the particle of this sublattice.
GPZ_HD bool is_earlier(const SiteNeighbour &neighbour, int sublattice) {
  if (neighbour.sublattice != sublattice) return neighbour.sublattice >= 0 && neighbour.sublattice < sublattice;
  for (int d = max_components - 1; d >= 0; --d) {
    const int cells = neighbour.cells[static_cast<std::size_t>(d)];
    if (cells != 0) return cells < 0;
  }
  return false;
}

// A coordinate of a site in units of 1/64 grid step.
GPZ_HD std::int64_t rounded_site(std::int64_t place) {
  const int down = site_fraction - deviation_fraction;
  return (place + (std::int64_t{1} << (down - 1))) >> down;
}
// How far index q is from it.
GPZ_HD std::int64_t site_deviation(std::int64_t q, std::int64_t site) {
  const std::int64_t far = difference_of(product_of(q, std::int64_t{1} << deviation_fraction), site);
  return max_of(min_of(far, deviation_most), -deviation_most);
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
