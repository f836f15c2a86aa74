// SPDX-License-Identifier: BSD-3-Clause
// The encoder's search for the lattice of modelled sections: vectors between neighbours, and their springs, from the
// pairs of the whole chunk. gpz/codec/lattice_search.hpp searches for something else: cell and sites of cell chunks.
#pragma once

#include "gpz/codec/difference_codec.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/model/lattice_network.hpp"

namespace gpz::model {

// Finds the vectors between neighbours and the springs from the last indices, and builds the network of them. False if
// the particles are no crystal.
bool find_lattice(const cpu::DifferenceState &state, const core::GridBox &box, LatticeNetwork &network);

}  // namespace gpz::model
