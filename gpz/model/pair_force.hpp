// SPDX-License-Identifier: BSD-3-Clause
// Model of particles that interact by a force that depends on their distance. Predicts displacements (docs/format.md,
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
#include "gpz/model/working_memory.hpp"

namespace gpz::model {

// Lives as long as the history of a chunk; encoder and decoder have one each. Frames coded by other models need no
// call.
class PairForce {
 public:
  using Search = PairFit;
  // A losing fit is discarded and repeated later.
  static constexpr bool keeps_search_of_loser = false;

  // Changes that take effect only if the section is kept.
  struct Update {
    PairSettings settings;
    bool has_settings = false;  // new settings, with their own table
    PairTable table;
    std::uint32_t table_reach = 0;
    MotionHistory history;
    bool has_moved = false;  // the history is that of this frame already
  };

  // Encoder: fits the parameters to the frame q and appends them to `bytes`. Returns false and appends nothing if
  // forces do not help. Throws std::bad_alloc.
  bool fit(const codec::DifferenceState &state, const codec::IndexColumns &q, const core::GridBox &box, Search &search,
           Update &update, std::vector<std::uint8_t> &bytes, int threads = 1);
  // Decoder: reads what fit appended. Returns the number of bytes read, at most `size`. Throws gpz::Error (corrupt).
  std::size_t read(const codec::DifferenceState &state, const std::uint8_t *bytes, std::size_t size,
                   const core::GridBox &box, Update &update) const;
  // Encoder and decoder: fills `out` for all particles of the state. Throws gpz::Error (corrupt) if the cutoff gives
  // too many pairs, and limit_exceeded.
  void expect(const codec::DifferenceState &state, const core::GridBox &box, Update &update, Expectation &out,
              int threads = 1);
  // Applies an update. An update that is never committed changes nothing.
  void commit(Update &&update);

  // Particles leave or arrive, as in DifferenceState::keep and add.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);

  std::size_t memory_usage() const { return history_.memory_usage() + motion_.memory_usage(); }

 private:
  PairSettings settings_;
  PairTable table_;
  std::uint32_t table_reach_ = 0;  // reach for which the table was filled; 0: not filled
  MotionHistory history_;
  WorkingMemory<PairMotion> motion_;
};

}  // namespace gpz::model
