// SPDX-License-Identifier: BSD-3-Clause
// Model of crystals: atoms vibrate about the sites of a lattice and are joined by springs. A polynomial in the
// stiffness of this network predicts displacements from those in the last two frames (docs/format.md, section 10c;
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

// Predicts the positions of a chunk of a crystal. Lives as long as the history of the chunk. Copies are independent.
class LatticeModel {
 public:
  // Result of an encoder's search for a lattice. A lattice that did not help is tried again at intervals.
  struct Search {
    bool searched = false;
    NetworkPointer found;
    std::uint64_t found_at = 0;
  };
  // Keeps the result of a search whose model lost, so that it is not repeated in each frame.
  static constexpr bool keeps_search_of_loser = true;

  // Changes that take effect only if the section is kept.
  struct Update {
    NetworkPointer network;
    LatticeFilter filter;
    std::array<std::int32_t, core::max_components> drift{};  // 1/64 grid steps, for this frame only
    PredictedFrame predicted;                                // filled by expect
    // For searches: when the network was built, and how many particles had no site then.
    std::uint64_t built_at = 0;
    std::size_t unplaced = 0;
  };

  // Encoder: fits the model to the frame q and appends its parameters. Returns false and appends nothing if the
  // particles do not form a crystal.
  bool fit(const codec::DifferenceState &state, const codec::IndexColumns &q, const core::GridBox &box, Search &search,
           Update &update, std::vector<std::uint8_t> &bytes, int threads = 1);
  // Decoder: reads what fit appended. Returns the number of bytes read. Throws gpz::Error (corrupt).
  std::size_t read(const codec::DifferenceState &state, const std::uint8_t *bytes, std::size_t size,
                   const core::GridBox &box, Update &update, int threads = 1) const;
  // Computes the expected displacement of each particle, with the parameters in `update`. Stores the predicted frame in
  // `update`.
  void expect(const codec::DifferenceState &state, const core::GridBox &box, Update &update, Expectation &out,
              int threads = 1);
  // Applies an update. An update that is never committed changes nothing.
  void commit(Update &&update);
  // Call only after a commit.
  const crystal::SpringNetwork &network() const { return *network_; }

  // Particles leave or arrive, as in DifferenceState.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);

  std::size_t memory_usage(const Search &search) const;

 private:
  Update begin_update() const;
  NetworkPointer find_network(const codec::DifferenceState &state, const core::GridBox &box, int threads,
                              Search &search, Update &update) const;
  int best_gain(const crystal::SpringNetwork &network, const codec::DifferenceState &state,
                const codec::IndexColumns &q, const core::GridBox &box, int threads);

  NetworkPointer network_;
  LatticeFilter filter_;
  PredictedFrame predicted_;
  std::uint64_t built_at_ = 0;
  std::size_t unplaced_ = 0;

  LatticeFrame frame_;
};

}  // namespace gpz::model
