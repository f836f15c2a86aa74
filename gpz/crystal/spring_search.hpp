// SPDX-License-Identifier: BSD-3-Clause
// The encoder's search for the lattice of modelled sections: vectors between neighbours, and their springs, from the
// pairs of the whole chunk. site_search.hpp searches for something else: the cell and the sites of cell chunks.
#pragma once

#include "gpz/codec/difference_codec.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/crystal/spring_network.hpp"

namespace gpz::crystal {

// Finds the vectors between neighbours and the springs from the last indices, and builds the network of them. False if
// the particles are no crystal.
bool find_springs(const codec::DifferenceState &state, const core::GridBox &box, SpringNetwork &network);

}  // namespace gpz::crystal
