// SPDX-License-Identifier: BSD-3-Clause
// Crystal sites on the grid, and the prediction of each site's particle (docs/format.md, section 10e;
// docs/decisions/0026). Integers only, so that all machines agree.
#pragma once

#include <array>

#include "gpz/core/residual.hpp"

namespace gpz::core {

inline constexpr int site_fraction = 20;      // fraction bits of a site coordinate
inline constexpr int deviation_fraction = 6;  // fraction bits of a deviation from a site
// Limits in grid steps. They keep every sum of coordinates below within 63 bits.
inline constexpr std::int64_t max_site_reach = std::int64_t{1} << 40;
inline constexpr std::int64_t max_cell_edge = std::int64_t{1} << 21;
inline constexpr std::int64_t max_cell_number = std::int64_t{1} << 17;
// Deviations are clamped to this before they predict neighbours.
inline constexpr std::int64_t deviation_most = (std::int64_t{1} << 26) - 1;
inline constexpr int max_sublattices = 8;
inline constexpr int max_site_neighbours = 8;
inline constexpr int weight_fraction = 12;  // fraction bits of a neighbour's weight

using SitePosition = std::array<std::int64_t, max_components>;  // in units of 2^-site_fraction grid steps

// Half-open window [low, high) that limits the sites, in units of SitePosition.
struct SiteWindow {
  SitePosition low{};
  SitePosition high{};
};

// Sites i in [first, end) of a row.
struct SiteRow {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

// A site whose particle is decoded earlier and helps to predict another: its sublattice and its offset in cells.
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

// The sites begin + i * edge inside the window. `edge` is nonzero in some component, and all arguments are below 2^62
// in magnitude.
inline SiteRow row_in(const SiteWindow &window, const SitePosition &begin, const SitePosition &edge, int components) {
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

// True if the neighbour is decoded before a particle of this sublattice.
GPZ_HD bool is_earlier(const SiteNeighbour &neighbour, int sublattice) {
  if (neighbour.sublattice != sublattice) return neighbour.sublattice >= 0 && neighbour.sublattice < sublattice;
  for (int d = max_components - 1; d >= 0; --d) {
    const int cells = neighbour.cells[static_cast<std::size_t>(d)];
    if (cells != 0) return cells < 0;
  }
  return false;
}

// Site coordinate in units of 1/64 grid step.
GPZ_HD std::int64_t rounded_site(std::int64_t position) {
  const int down = site_fraction - deviation_fraction;
  return (position + (std::int64_t{1} << (down - 1))) >> down;
}
// Deviation of index q from a rounded_site(), clamped to deviation_most.
GPZ_HD std::int64_t site_deviation(std::int64_t q, std::int64_t site) {
  const std::int64_t far = difference_of(product_of(q, std::int64_t{1} << deviation_fraction), site);
  return max_of(min_of(far, deviation_most), -deviation_most);
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
