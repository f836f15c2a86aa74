// SPDX-License-Identifier: BSD-3-Clause
// Particles that move under a pair force from one frame to the next, in integers (docs/format.md, section 10d).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/memory.hpp"
#include "gpz/core/types.hpp"
#include "gpz/crystal/neighbour_list.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/model/pair_settings.hpp"
#include "gpz/model/pair_table.hpp"

namespace gpz::model {

// What is remembered of the last frame that was expected, for each slot and component, in units of 1/256 grid step.
struct MotionHistory {
  struct Axis {
    format::Column<std::int32_t> speed;  // at its end, without the last half of a kick
    format::Column<std::int32_t> moved;  // what was expected
    format::Column<std::int32_t> slow;   // the force that is not close, at its beginning
  };
  std::array<Axis, core::max_components> axes;
  std::uint64_t frames = 0;  // DifferenceState::frames at that time; 0: nothing is remembered

  std::size_t size() const { return axes[0].speed.size(); }
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);
  std::size_t memory_usage() const {
    std::size_t bytes = 0;
    for (const Axis &axis : axes) bytes += cpu::memory_of(axis.speed, axis.moved, axis.slow);
    return bytes;
  }
};

// Moves the particles of a state from its last positions. Has working memory only, which is kept from frame to frame.
class PairMotion {
 public:
  static constexpr int speed_bits = 8;  // speeds and displacements are in units of 1/256 grid step
  static constexpr int fine_bits = 3;   // ways between moving particles are in units of 1/8 of those of the list
  static constexpr int value_bits = 24;
  static constexpr std::int64_t limit = (std::int64_t{1} << 30) - 1;

  // Finds the pairs, once for a frame: forget_pairs() says that the particles are others. False: there are too many.
  bool find(const cpu::DifferenceState &state, const core::GridBox &box, std::uint64_t cutoff);
  // After find with the cutoff of the settings: the displacements until the next frame. `after` becomes what is
  // remembered of this frame.
  void move(const cpu::DifferenceState &state, const PairSettings &settings, const PairTable &table,
            const MotionHistory &history, MotionHistory &after);

  void forget_pairs() { found_frames_ = 0; }

  std::size_t memory_usage() const {
    return list_.memory_usage() +
           cpu::memory_of(total_, near_, close_, speed_, moved_, slow_, slow_change_, fine_, recorded_);
  }

  const crystal::NeighbourList &list() const { return list_; }
  // Squared distances of pairs, in fine units, are below this while they are in the list.
  std::uint64_t end() const { return squared_end(list_.reach()); }
  static std::uint64_t squared_end(std::uint32_t reach) { return std::uint64_t{reach} * reach << (2 * fine_bits); }

  // For fits: the positions of each step as ways from the first, in fine units, by place and component.
  void record(bool on) { record_ = on; }
  const std::vector<format::Column<std::int32_t>> &recorded() const { return recorded_; }

 private:
  using Sums = format::Column<std::uint64_t>;
  struct ClosePair {
    std::uint32_t own;
    std::uint32_t partner;
    std::int32_t way[core::max_components];  // fine
  };

  std::int64_t scaled(std::uint64_t sum) const;
  void sum_all(const PairTable &table);
  void sum_close(const PairTable &table);
  void begin(const cpu::DifferenceState &state, const PairSettings &settings, const MotionHistory &history);
  void note_positions();

  crystal::NeighbourList list_;
  std::uint64_t found_frames_ = 0;  // that the list is of, and its cutoff
  std::uint64_t found_cutoff_ = 0;
  Sums total_;
  Sums near_;
  format::Column<ClosePair> close_;  // the first close_count_
  std::size_t close_count_ = 0;
  // By place and component.
  format::Column<std::int32_t> speed_;
  format::Column<std::int32_t> moved_;
  format::Column<std::int32_t> slow_;
  format::Column<std::int32_t> slow_change_;
  format::Column<std::int32_t> fine_;
  bool record_ = false;
  std::vector<format::Column<std::int32_t>> recorded_;
};

}  // namespace gpz::model
