// SPDX-License-Identifier: BSD-3-Clause
// Crystals: atoms swing about the places of a lattice, joined by springs. From the displacements in the last two
// frames, a polynomial in the stiffness of that network predicts those in the next (docs/format.md, section 10c;
// docs/decisions/0025-crystals.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/model/expectation.hpp"
#include "gpz/model/lattice_filter.hpp"
#include "gpz/model/lattice_frame.hpp"

namespace gpz::model {

// Predicts the positions of a chunk of a crystal. Lives as long as the history of the chunk; a copy is independent.
class LatticeModel {
 public:
  // What an encoder's search for a lattice has found. A lattice that was of no use is tried again now and then.
  struct Search {
    bool searched = false;
    NetworkPointer found;
    std::uint64_t found_at = 0;
  };
  // A search is not repeated for each frame that another model predicts better.
  static constexpr bool keeps_search_of_loser = true;

  // What a frame changes if its section stays.
  struct Update {
    NetworkPointer network;
    LatticeFilter filter;
    std::array<std::int32_t, core::max_components> drift{};  // 1/64 grid steps, of this frame alone
    PredictedFrame predicted;                                // by expect
    // For searches: when the network was built, and how many particles had no place then.
    std::uint64_t built_at = 0;
    std::size_t placeless = 0;
  };

  // Encoder: fits to the frame q and appends the parameters. False, with nothing appended, if the particles are no
  // crystal.
  bool fit(const cpu::DifferenceState &state, const cpu::IndexColumns &q, const core::GridBox &box, Search &search,
           Update &update, std::vector<std::uint8_t> &bytes);
  // Decoder: reads what fit appended. Returns the bytes read. Throws gpz::Error (corrupt).
  std::size_t read(const cpu::DifferenceState &state, const std::uint8_t *bytes, std::size_t size,
                   const core::GridBox &box, Update &update) const;
  // The expected displacement of each particle, with the update that is to be committed.
  void expect(const cpu::DifferenceState &state, const core::GridBox &box, Update &update, Expectation &out);
  // Takes an update over. One that is dropped instead changes nothing.
  void commit(Update &&update);
  // After a commit.
  const crystal::SpringNetwork &network() const { return *network_; }

  // As those of DifferenceState.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);

  std::size_t memory_usage(const Search &search) const;

 private:
  Update begin_update() const;
  NetworkPointer find_network(const cpu::DifferenceState &state, const core::GridBox &box, Search &search,
                              Update &update) const;
  int best_gain(const crystal::SpringNetwork &network, const cpu::DifferenceState &state, const cpu::IndexColumns &q,
                const core::GridBox &box);

  NetworkPointer network_;
  LatticeFilter filter_;
  PredictedFrame predicted_;
  std::uint64_t built_at_ = 0;
  std::size_t placeless_ = 0;

  LatticeFrame frame_;
};

}  // namespace gpz::model
