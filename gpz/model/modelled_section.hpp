// SPDX-License-Identifier: BSD-3-Clause
// Modelled sections: the indices of a field of a difference chunk, predicted by models of how particles move
// (docs/format.md, section 9a).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/model/bonds.hpp"
#include "gpz/model/expectation.hpp"
#include "gpz/model/lattice_model.hpp"
#include "gpz/model/lattice_neighbour_predictor.hpp"
#include "gpz/model/pair_force.hpp"

namespace gpz::model {

// What writer and reader remember of a field beside cpu::DifferenceState, since the independent chunk.
class ModelledState {
 public:
  // The bonds of a key frame.
  void start(Bonds found) {
    bonds = std::move(found);
    searched_bonds = !bonds.empty();
  }
  // Before a modelled section: the history of one field of a chunk with so many particles.
  void prepare(std::size_t particles);
  // Other particles, as cpu::DifferenceState::keep and add; before those of the DifferenceState.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);

  std::size_t memory_usage() const;

  LatticeModel lattice;
  LatticeNeighbourPredictor lattice_neighbours;
  PairForce forces;
  Bonds bonds;
  bool searched_bonds = false;  // by an encoder
  bool new_bonds = false;       // of an encoder: no section has them yet
  enum class BondUse : std::uint8_t { unknown, used, avoided };
  BondUse bond_use = BondUse::unknown;  // of an encoder
  format::Column<std::uint32_t> scale;  // walk.hpp; empty before the first modelled section
};

// What an encoder may try.
struct ModelledOptions {
  bool in_order_of_ids = false;  // slots before are neighbours
  bool positions = false;        // the field has positions: forces, lattices, neighbours in space
  bool dense = false;            // also what takes long
};

// Appends a section (a multiple of 8 bytes) for the state's particles, of which there is one at least, and brings
// `modelled` up to date. False, with nothing appended, where no model helps that may be tried. Throws std::bad_alloc.
bool encode_modelled(const cpu::DifferenceState &state, ModelledState &modelled, const cpu::IndexColumns &q,
                     const core::GridBox &box, const ModelledOptions &options, std::vector<std::uint8_t> &bytes);

// The inverse, for a section of exactly `size` bytes, aligned to 4. Throws gpz::Error (corrupt); q and `modelled` are
// unspecified then.
void decode_modelled(const cpu::DifferenceState &state, ModelledState &modelled, const std::uint8_t *bytes,
                     std::size_t size, const core::GridBox &box, const cpu::IndexOutput &q);

}  // namespace gpz::model
