// SPDX-License-Identifier: BSD-3-Clause
// Modelled sections: the indices of a field of a difference chunk, predicted by models of how particles move
// (docs/format.md, section 9a).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/model/bonds.hpp"
#include "gpz/model/expectation.hpp"
#include "gpz/model/lattice_model.hpp"
#include "gpz/model/lattice_neighbour_predictor.hpp"
#include "gpz/model/pair_force.hpp"
#include "gpz/molecule/section.hpp"

namespace gpz::model {

// Whether sections of molecules are worth a trial: those of other models were smaller, or are not tried any more.
class MoleculeUse {
 public:
  bool may_try() const { return losses_ < most_losses; }
  void tried() {
    if (is_open_) ++losses_;
    is_open_ = true;
  }
  void found_none() { losses_ = most_losses; }
  // After a section that stayed.
  void committed(bool as_molecules) {
    if (is_open_) losses_ = as_molecules ? 0 : losses_ + 1;
    is_open_ = false;
    wins_ = as_molecules ? wins_ + 1 : 0;
  }
  // Whether more frames will make sections smaller: the last of the first contests counts.
  bool is_learning() const { return wins_ < first_contests - 1; }
  // Whether others are tried too.
  bool has_rivals() const { return wins_ < first_contests || wins_ % interval == 0; }

 private:
  static constexpr unsigned most_losses = 3;     // sections
  static constexpr unsigned first_contests = 4;  // sections
  static constexpr unsigned interval = 16;       // sections

  unsigned losses_ = 0;
  unsigned wins_ = 0;     // sections, since others stayed
  bool is_open_ = false;  // tried, and not committed yet
};

// What only an encoder remembers: what it has looked for and found, and whether it was of use. No bytes depend on it
// but by the choices of the encoder.
struct ModelledSearch {
  enum class BondUse : std::uint8_t { unknown, used, avoided };

  LatticeModel::Search lattice;
  PairForce::Search forces;
  bool searched_bonds = false;
  bool new_bonds = false;  // found, but no section has them yet
  BondUse bond_use = BondUse::unknown;
  MoleculeUse molecules;
};

// What a section changes if it stays. An update that is dropped instead has changed nothing.
struct ModelledUpdate {
  std::optional<LatticeModel::Update> lattice;
  std::optional<LatticeNeighbourPredictor::Update> lattice_neighbours;
  std::optional<PairForce::Update> forces;
  std::optional<molecule::Update> molecules;  // a section of molecules: nothing else changes
  std::optional<Bonds> bonds;
  format::Column<std::uint32_t> broken_bonds;
  format::Column<std::uint32_t> scale;
  ModelledSearch search;
};

// What writer and reader remember of a field beside cpu::DifferenceState, since the independent chunk.
class ModelledState {
 public:
  // The bonds of a key frame.
  void start(Bonds found);
  // Takes over what a section changes.
  void commit(ModelledUpdate &&update);
  // Other particles, as cpu::DifferenceState::keep and add; before those of the DifferenceState.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);

  std::size_t memory_usage() const;

  LatticeModel lattice;
  LatticeNeighbourPredictor lattice_neighbours;
  PairForce forces;
  Bonds bonds;
  molecule::State molecules;
  format::Column<std::uint32_t> scale;  // walk.hpp; empty before the first modelled section
  ModelledSearch search;                // of an encoder
};

// What an encoder may try.
struct ModelledOptions {
  bool in_order_of_ids = false;  // slots before are neighbours
  bool positions = false;        // the field has positions: forces, lattices, neighbours in space
  bool dense = false;            // also what takes long
};

// Appends a section (a multiple of 8 bytes) for the state's particles, of which there is one at least. Its update is to
// be committed if the section stays, before anything else happens to `modelled`, of which only working memory changes.
// Nothing, and no section, where no model helps that may be tried. Throws std::bad_alloc.
std::optional<ModelledUpdate> try_modelled(const cpu::DifferenceState &state, ModelledState &modelled,
                                           const cpu::IndexColumns &q, const core::GridBox &box,
                                           const ModelledOptions &options, std::vector<std::uint8_t> &bytes);

// The inverse, for a section of exactly `size` bytes, aligned to 4; commits what the section changes. Throws gpz::Error
// (corrupt); q and `modelled` are unspecified then.
void decode_modelled(const cpu::DifferenceState &state, ModelledState &modelled, const std::uint8_t *bytes,
                     std::size_t size, const core::GridBox &box, const cpu::IndexOutput &q);

}  // namespace gpz::model
