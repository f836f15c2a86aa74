// SPDX-License-Identifier: BSD-3-Clause
// The encoder's side of a lattice that was found: which particle belongs to which site, and what its neighbours say.
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
  // Gives each of n places a site, and the lattice what find_sites leaves open: cells, and narrow windows. `period`
  // is that of the lattice. False if a particle finds no site.
  bool assign(const PlaceColumns &place, std::size_t n, const Vector3 &period, SiteSection &section);
  // Chooses neighbours and their weights, and shifts. Deviations are those of the indices, as in the decoder; what they
  // are to tell is that of the place, which the index has been rounded from: or else weights would follow the rounding.
  void find_weights(const codec::IndexColumns &index, const PlaceColumns &place, SiteSection &section);

  const SiteRows &rows() const { return rows_; }
  // Particles site by site; where those of each site begin, and the number of particles.
  const std::vector<std::uint32_t> &order() const { return order_; }
  const std::vector<std::uint32_t> &first() const { return first_; }

 private:
  // In D components.
  template <std::size_t D>
  void weigh(std::size_t sublattice, const codec::IndexColumns &index, const PlaceColumns &place, SiteSection &section);
  template <std::size_t D>
  void choose_shifts(SiteSection &section) const;

  SiteRows rows_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> first_;
  std::vector<std::int32_t> deviations_;  // of the first particle of each site, one a component; 0 where there is none
};

}  // namespace gpz::crystal
