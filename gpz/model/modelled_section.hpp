// SPDX-License-Identifier: BSD-3-Clause
// Modelled sections: indices of a field of a difference chunk, predicted by models of particle motion (docs/format.md,
// section 9a).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/lanes/section.hpp"
#include "gpz/model/contest.hpp"
#include "gpz/model/expectation.hpp"
#include "gpz/model/lattice_model.hpp"
#include "gpz/model/lattice_neighbour_predictor.hpp"
#include "gpz/model/pair_force.hpp"
#include "gpz/model/space_neighbours.hpp"
#include "gpz/model/working_memory.hpp"

namespace gpz::model {

// Decides whether to try a section of molecules, from the results of earlier contests with other codings.
class MoleculeUse {
 public:
  bool may_try() const { return losses_ < most_losses; }
  // True in the first frames, which improve the fits of molecules: only the last of the first contests is decided by
  // size alone.
  bool is_learning() const { return contest_.sections() < first_contests - 1; }
  // True if other models are tried as well.
  bool has_rivals() const { return contest_.is_due(); }
  // True if no other models are tried before the next independent chunk, as long as sections are large.
  bool is_settled() const { return contest_.is_settled(); }
  // A section of molecules was kept. `was_clear`: by is_clear_win, against all sections that were tried. `is_large`: at
  // least large_section particles.
  void won(bool was_clear, bool is_large) {
    losses_ = 0;
    is_open_ = false;
    contest_.encoded({true, was_clear, is_large});
  }
  // Another section was kept. `was_tried`: molecules could code the values. `to_model`: the other one is a modelled
  // section. `by_far`: no section of molecules is tried again before the next independent chunk.
  void lost(bool was_tried, bool to_model, bool by_far) {
    if (was_tried) {
      if (is_open_) ++losses_;
      is_open_ = true;
      contest_.unsettle();
    }
    if (to_model) {
      if (is_open_) ++losses_;
      is_open_ = false;
      contest_.count_anew();
    }
    if (by_far) losses_ = most_losses;
  }

 private:
  static constexpr unsigned most_losses = 3;     // sections in a row
  static constexpr unsigned first_contests = 4;  // sections

  unsigned losses_ = 0;
  bool is_open_ = false;                // a loss to a section that is not modelled, which counts with the next one
  Contest contest_{first_contests, 0};  // with other models; of the sections since one of these won
};

// Encoder only: searches, their results, and whether those helped. Affects only the encoder's choices, never decoding.
struct ModelledSearch {
  LatticeModel::Search lattice;
  PairForce::Search forces;
};

// Changes that take effect only if the section is kept. Dropping an update changes nothing.
struct ModelledUpdate {
  std::optional<LatticeModel::Update> lattice;
  std::optional<LatticeNeighbourPredictor::Update> lattice_neighbours;
  std::optional<PairForce::Update> forces;
  // A section of steps changes nothing else.
  std::optional<lanes::Update> steps;
  format::Column<std::uint32_t> scale;
  ModelledSearch search;
};

// State of a field in encoder and decoder since the independent chunk, in addition to codec::DifferenceState.
class ModelledState {
 public:
  // Forgets everything for an independent chunk.
  void restart();
  void commit(ModelledUpdate &&update);
  // Particles leave or arrive, as in codec::DifferenceState::keep and add. Call before the DifferenceState changes.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);

  std::size_t memory_usage() const;

  LatticeModel lattice;
  LatticeNeighbourPredictor lattice_neighbours;
  PairForce forces;
  WorkingMemory<SpaceNeighbours> space;
  lanes::State steps;
  format::Column<std::uint32_t> scale;  // see walk.hpp; empty before the first modelled section
  ModelledSearch search;                // encoder only, as the next one
  MoleculeUse molecule_use;
};

// Codings that an encoder may try.
struct ModelledOptions {
  bool in_order_of_ids = false;  // particles in earlier slots are neighbours
  bool positions = false;        // the field holds positions: forces, lattices and neighbours in space apply
  int threads = 1;               // the bytes do not depend on it
};

// Appends a section, a multiple of 8 bytes, for the particles of the state, of which there is at least one. This call
// changes only working memory of `modelled`. If the section is kept, commit the update before any other change of
// `modelled`. Throws std::bad_alloc.
ModelledUpdate encode_modelled(const codec::DifferenceState &state, ModelledState &modelled,
                               const codec::IndexColumns &q, const core::GridBox &box, const ModelledOptions &options,
                               std::vector<std::uint8_t> &bytes);

// Inverse of encode_modelled, for a section of exactly `size` bytes, aligned to 4. Commits the changes of the section.
// Throws gpz::Error (corrupt; unsupported_version: a section with bonds); q and `modelled` are unspecified then.
void decode_modelled(const codec::DifferenceState &state, ModelledState &modelled, const std::uint8_t *bytes,
                     std::size_t size, const core::GridBox &box, const codec::IndexOutput &q, int threads = 1);

}  // namespace gpz::model
