// SPDX-License-Identifier: BSD-3-Clause
// The sites of a lattice in the order in which they are coded: by sublattice, then along the third, the second and the
// first edge of the cells.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/crystal/site_lattice.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::crystal {

// Rows and sites of n particles are at most this many: otherwise few bytes could stand for any number of empty sites.
constexpr std::uint64_t max_sites(std::size_t n) { return std::uint64_t{4} * n + 4096; }

class SiteRows {
 public:
  struct Row {
    core::SitePlace begin;       // the site of cell 0, whether it is in the window or not
    core::SiteRow cells;         // those in the window
    std::uint64_t first_number;  // of the first one, among all sites
  };

  // False if there are more than max_sites(n). Throws std::bad_alloc.
  bool build(const SiteLattice &lattice, std::size_t n);

  std::uint64_t sites() const { return sites_; }
  const format::Column<Row> &all() const { return rows_; }
  // A row by its sublattice and the cells along the second and the third edge; nullptr if there is none.
  const Row *find(std::size_t sublattice, std::int64_t second, std::int64_t third) const;

 private:
  std::array<SiteLattice::Cells, core::max_components> cells_{};
  format::Column<Row> rows_;
  std::uint64_t sites_ = 0;
};

}  // namespace gpz::crystal
