// SPDX-License-Identifier: BSD-3-Clause
// The encoder's side of a lattice that was found: which particle belongs to which site, and what its neighbours say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/lattice_walk.hpp"
#include "gpz/codec/linear.hpp"

namespace gpz::cpu {

class LatticeFit {
 public:
  // Gives each of n places a site, and the lattice what find_lattice leaves open: cells, and narrow windows. `period`
  // is that of the lattice. False if a particle finds no site.
  bool assign(const PlaceColumns &place, std::size_t n, const Vector3 &period, LatticeSection &section);
  // Chooses neighbours and their weights, and shifts. Deviations are those of the indices, as in the decoder; what they
  // are to tell is that of the place, which the index has been rounded from: or else weights would follow the rounding.
  void find_weights(const IndexColumns &index, const PlaceColumns &place, LatticeSection &section);

  const SiteRows &rows() const { return rows_; }
  const std::vector<std::uint32_t> &order() const { return order_; }  // particles, site by site
  const std::vector<std::uint32_t> &first() const {
    return first_;
  }  // where those of each site begin; then their number

 private:
  // In D components.
  template <std::size_t D>
  void weigh(std::size_t sublattice, const IndexColumns &index, const PlaceColumns &place, LatticeSection &section);
  template <std::size_t D>
  void choose_shifts(LatticeSection &section) const;

  SiteRows rows_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> first_;
  std::vector<std::int32_t> deviations_;  // of the first particle of each site, one a component; 0 where there is none
};

}  // namespace gpz::cpu
