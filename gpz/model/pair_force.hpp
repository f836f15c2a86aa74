// SPDX-License-Identifier: BSD-3-Clause
// Expected displacements of particles that push and pull each other by a force of their distance (docs/format.md,
// section 10d; docs/decisions/0024-pair-forces.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/model/expectation.hpp"
#include "gpz/model/pair_fit.hpp"
#include "gpz/model/pair_motion.hpp"
#include "gpz/model/pair_settings.hpp"
#include "gpz/model/pair_table.hpp"

namespace gpz::model {

// Lives as long as the history of a chunk; encoder and decoder have one each. Frames that it is not used for need no
// call.
class PairForce {
 public:
  using Search = PairFit;
  // What was fitted where another model predicts better is fitted again in its time.
  static constexpr bool keeps_search_of_loser = false;

  // What a frame changes if its section stays.
  struct Update {
    PairSettings settings;
    bool has_settings = false;  // other ones than before, with a table of their own
    PairTable table;
    std::uint32_t table_reach = 0;
    MotionHistory history;
  };

  // Encoder: the parameters for the frame with indices q, appended to `bytes`. False: forces are of no use here;
  // nothing is appended. The state is not plain. Throws std::bad_alloc.
  bool fit(const cpu::DifferenceState &state, const cpu::IndexColumns &q, const core::GridBox &box, Search &search,
           Update &update, std::vector<std::uint8_t> &bytes);
  // Decoder: takes what fit appended from the first of `size` bytes. Returns how many there were. Throws gpz::Error
  // (corrupt).
  std::size_t read(const cpu::DifferenceState &state, const std::uint8_t *bytes, std::size_t size,
                   const core::GridBox &box, Update &update) const;
  // Both: fills `out` for all particles of the state. Throws gpz::Error (corrupt) where the settings ask for too many
  // pairs, and limit_exceeded.
  void expect(const cpu::DifferenceState &state, const core::GridBox &box, Update &update, Expectation &out);
  // Takes an update over. One that is dropped instead changes nothing.
  void commit(Update &&update);

  // Particles that leave and arrive, as DifferenceState::keep and add.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);

  std::size_t memory_usage() const { return history_.memory_usage() + motion_.memory_usage(); }

 private:
  PairSettings settings_;
  PairTable table_;
  std::uint32_t table_reach_ = 0;  // that the table was filled for; 0: it was not
  MotionHistory history_;
  PairMotion motion_;
};

}  // namespace gpz::model
