// SPDX-License-Identifier: BSD-3-Clause
// Encoder: assigns particles to the sites of a lattice, and fits the weights of their neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/crystal/site_lattice.hpp"
#include "gpz/crystal/site_rows.hpp"
#include "gpz/crystal/vector3.hpp"

namespace gpz::crystal {

class SiteFit {
 public:
  // Assigns a site to each of n positions, and sets the cells and the narrow windows of the lattice, which find_sites
  // does not set. `period` is the period of the lattice. Returns false if a particle has no site.
  bool assign(const PositionColumns &position, std::size_t n, const Vector3 &period, SiteSection &section);
  // Chooses neighbours, their weights, and shifts. Features are deviations of indices, as in the decoder. Targets are
  // deviations of the unrounded positions: weights fitted to indices would follow the rounding.
  void find_weights(const codec::IndexColumns &index, const PositionColumns &position, SiteSection &section);

  const SiteRows &rows() const { return rows_; }
  // order(): particles sorted by site. first(): first particle of each site, then the number of particles.
  const std::vector<std::uint32_t> &order() const { return order_; }
  const std::vector<std::uint32_t> &first() const { return first_; }

 private:
  // For D components.
  template <std::size_t D>
  void weigh(std::size_t sublattice, const codec::IndexColumns &index, const PositionColumns &position,
             SiteSection &section);
  template <std::size_t D>
  void choose_shifts(SiteSection &section) const;

  SiteRows rows_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> first_;
  std::vector<std::int32_t> deviations_;  // of the first particle of each site, by component; 0 for empty sites
};

}  // namespace gpz::crystal
