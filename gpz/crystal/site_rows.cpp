// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/crystal/site_rows.hpp"

namespace gpz::crystal {

bool SiteRows::build(const SiteLattice &lattice, std::size_t n) {
  cells_ = lattice.cells;
  rows_.clear();
  sites_ = 0;
  const std::uint64_t most = max_sites(n);
  // Each factor is below 2^18.
  const std::uint64_t rows = std::uint64_t{cells_[1].count} * cells_[2].count * lattice.sublattices.size();
  if (rows > most) return false;
  rows_.reserve(static_cast<std::size_t>(rows));
  for (const SiteLattice::Sublattice &sublattice : lattice.sublattices)
    for (std::uint32_t k = 0; k < cells_[2].count; ++k)
      for (std::uint32_t j = 0; j < cells_[1].count; ++j) {
        Row row{sublattice.origin, {}, sites_};
        for (std::size_t d = 0; d < static_cast<std::size_t>(lattice.components); ++d)
          row.begin[d] += (std::int64_t{cells_[1].first} + j) * lattice.edge[1][d] +
                          (std::int64_t{cells_[2].first} + k) * lattice.edge[2][d];
        row.cells = core::row_in(lattice.window, row.begin, lattice.edge[0], lattice.components);
        const auto count = static_cast<std::uint64_t>(row.cells.end - row.cells.first);
        if (count > most - sites_) return false;
        sites_ += count;
        rows_.push_back(row);
      }
  return true;
}

const SiteRows::Row *SiteRows::find(std::size_t sublattice, std::int64_t second, std::int64_t third) const {
  const std::int64_t j = second - cells_[1].first;
  const std::int64_t k = third - cells_[2].first;
  if (j < 0 || k < 0 || j >= cells_[1].count || k >= cells_[2].count) return nullptr;
  return &rows_[(sublattice * cells_[2].count + static_cast<std::size_t>(k)) * cells_[1].count +
                static_cast<std::size_t>(j)];
}

}  // namespace gpz::crystal
