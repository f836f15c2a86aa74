// SPDX-License-Identifier: BSD-3-Clause
// Whether particles form a crystal, and which: the edges of its cell, and a site in it for each sublattice. It looks at
// a patch in the middle first, so that what is no crystal costs little. gpz/model/lattice_search.hpp searches for
// something else: vectors between neighbours, and springs.
#pragma once

#include <cstddef>

#include "gpz/codec/lattice_code.hpp"
#include "gpz/codec/linear.hpp"

namespace gpz::cpu {

// How exactly places are known.
enum class Places : std::uint8_t {
  indices,  // of the grid
  values,   // what they were rounded from
};

struct FoundLattice {
  Lattice lattice;  // edges, origins, and a window on periodic axes; nothing else
  // After which it repeats on a periodic axis, in grid steps. That of the grid is a whole number of steps; the box, of
  // which `values` tell, is up to half a step longer or shorter.
  Vector3 period{};
};

// Finds a lattice near whose sites most of the n places are, which are inside the box. False for what is no crystal,
// soon. Deterministic.
bool find_lattice(const PlaceColumns &place, Places places, std::size_t n, int components, const GridBox &box,
                  FoundLattice &found);

}  // namespace gpz::cpu
