// SPDX-License-Identifier: BSD-3-Clause
// The sites of a lattice in coding order: by sublattice, then along the third, second and first edge of the cells.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/crystal/site_lattice.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::crystal {

// Limit of rows and of sites for n particles. Without it, few bytes could describe any number of empty sites.
constexpr std::uint64_t max_sites(std::size_t n) { return std::uint64_t{4} * n + 4096; }

class SiteRows {
 public:
  struct Row {
    core::SitePosition begin;    // site of cell 0, inside the window or not
    core::SiteRow cells;         // cells inside the window
    std::uint64_t first_number;  // number of the first site, among all sites
  };

  // Returns false if there are more than max_sites(n). Throws std::bad_alloc.
  bool build(const SiteLattice &lattice, std::size_t n);

  std::uint64_t sites() const { return sites_; }
  const format::Column<Row> &all() const { return rows_; }
  // Finds a row by its sublattice and its cells along the second and third edge; nullptr if there is none.
  const Row *find(std::size_t sublattice, std::int64_t second, std::int64_t third) const;

 private:
  std::array<SiteLattice::Cells, core::max_components> cells_{};
  format::Column<Row> rows_;
  std::uint64_t sites_ = 0;
};

}  // namespace gpz::crystal
