// SPDX-License-Identifier: BSD-3-Clause
// Prediction of one modelled section: chosen by the encoder, read by the decoder (docs/format.md, section 9a).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/model/expectation.hpp"
#include "gpz/model/modelled_section.hpp"
#include "gpz/model/space_neighbours.hpp"
#include "gpz/model/walk.hpp"

namespace gpz::model {

// Not copyable: the walk points into the plan.
struct ModelledPlan {
  enum Model : std::uint8_t { history = 0, lattice = 1, pair_force = 2 };
  enum Flag : std::uint8_t {
    slot_neighbours = 1,
    space_neighbours = 2,
    bonds = 4 | 8,  // before version 1 was frozen
    lattice_neighbours = 16
  };

  std::uint8_t model = history;
  std::uint8_t flags = 0;
  Temporal temporal;
  Expectation expected;
  Walk walk;
  ModelledUpdate update;

  ModelledPlan() = default;
  ModelledPlan(const ModelledPlan &) = delete;
  ModelledPlan &operator=(const ModelledPlan &) = delete;

  bool has(Flag flag) const { return (flags & flag) != 0; }

  // Reads the weights of neighbours in the lattice. Returns the number of bytes read. Throws gpz::Error (corrupt).
  std::size_t read_lattice_neighbours(LatticeNeighbourPredictor &predictor, const std::uint8_t *bytes,
                                      std::size_t size) {
    walk.lattice_neighbours = &predictor;
    walk.network = update.lattice->network.get();
    return predictor.read(*walk.network, bytes, size, update.lattice_neighbours.emplace());
  }
  // Sets the parts of the walk that involve no choice. Expectation, margins and contexts must be set before.
  void connect(const codec::DifferenceState &state, const core::GridBox &box) {
    walk.particles = state.particles;
    walk.components = state.components;
    for (std::size_t d = 0; d < static_cast<std::size_t>(state.components); ++d) {
      walk.last[d] = state.axes[d].last.data();
      walk.expected[d] = expected[d].data();
      walk.box[d] = core::checked_axis(box[d]);
      walk.inner[d] = Inner(walk.box[d], walk.margin[d]);
    }
    walk.scale = update.scale.data();
  }
};

}  // namespace gpz::model
