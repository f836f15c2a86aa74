// SPDX-License-Identifier: BSD-3-Clause
// Whether particles form a crystal, and which: the edges of its cell, and a site in it for each sublattice. It looks at
// a patch in the middle first, so that what is no crystal costs little. gpz/model/lattice_search.hpp searches for
// something else: vectors between neighbours, and springs.
#pragma once

#include <cstddef>

#include "gpz/cpu/lattice_code.hpp"

namespace gpz::cpu {

// Finds edges, origins and a window on periodic axes of `box`, of a lattice near whose sites most of the n places are;
// nothing else of it. Places are inside the box. False for what is no crystal, soon. Deterministic.
bool find_lattice(const IndexColumns &place, std::size_t n, int components, const GridBox &box, Lattice &lattice);

}  // namespace gpz::cpu
