// SPDX-License-Identifier: BSD-3-Clause
// Finds whether particles form a crystal: the edges of its cell, and a site for each sublattice. The search begins with
// a patch in the middle, so that other systems cost little time. Not to be confused with spring_search.hpp, which finds
// vectors between neighbours, and springs.
#pragma once

#include <cstddef>

#include "gpz/crystal/site_lattice.hpp"
#include "gpz/crystal/vector3.hpp"

namespace gpz::crystal {

// Precision of the positions.
enum class Precision : std::uint8_t {
  indices,  // grid indices
  values,   // values before rounding
};

struct FoundSites {
  SiteLattice lattice;  // only edges, origins, and a window on periodic axes
  // Period on each periodic axis, in grid steps. The grid's period is a whole number of steps; the true one, known from
  // Precision::values, is up to half a step longer or shorter.
  Vector3 period{};
};

// Finds a lattice with most of the n positions, which are inside the box, near its sites. Returns false, quickly, if
// there is none. Deterministic.
bool find_sites(const PositionColumns &position, Precision precision, std::size_t n, int components,
                const core::GridBox &box, FoundSites &found);

}  // namespace gpz::crystal
