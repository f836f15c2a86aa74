// SPDX-License-Identifier: BSD-3-Clause
// Encoder: finds the lattice of modelled sections: vectors between neighbours and their springs, from all pairs of the
// chunk. Not to be confused with site_search.hpp, which finds the cell and the sites of cell chunks.
#pragma once

#include "gpz/codec/difference_codec.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/crystal/spring_network.hpp"

namespace gpz::crystal {

// Finds vectors and springs from the last indices, and builds their network. Returns false if the particles form no
// crystal.
bool find_springs(const codec::DifferenceState &state, const core::GridBox &box, SpringNetwork &network,
                  int threads = 1);

}  // namespace gpz::crystal
