// SPDX-License-Identifier: BSD-3-Clause
// Whether particles form a crystal, and which: the edges of its cell, and a site in it for each sublattice. It looks at
// a patch in the middle first, so that what is no crystal costs little. spring_search.hpp searches for something
// else: vectors between neighbours, and springs.
#pragma once

#include <cstddef>

#include "gpz/crystal/site_lattice.hpp"
#include "gpz/crystal/vector3.hpp"

namespace gpz::crystal {

// How exactly places are known.
enum class Places : std::uint8_t {
  indices,  // of the grid
  values,   // what they were rounded from
};

struct FoundSites {
  SiteLattice lattice;  // edges, origins, and a window on periodic axes; nothing else
  // After which it repeats on a periodic axis, in grid steps. That of the grid is a whole number of steps; the box, of
  // which `values` tell, is up to half a step longer or shorter.
  Vector3 period{};
};

// Finds a lattice near whose sites most of the n places are, which are inside the box. False for what is no crystal,
// soon. Deterministic.
bool find_sites(const PlaceColumns &place, Places places, std::size_t n, int components, const core::GridBox &box,
                FoundSites &found);

}  // namespace gpz::crystal
