// SPDX-License-Identifier: BSD-3-Clause
// Molecular dynamics in integers: moves particles under a pair force from one frame to the next (docs/format.md,
// section 10d).
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

// State of the last predicted frame for each slot and component, in units of 1/256 grid step.
struct MotionHistory {
  struct Axis {
    format::Column<std::int32_t> speed;  // at the end, without the last half kick
    format::Column<std::int32_t> moved;  // expected displacement
    format::Column<std::int32_t> slow;   // force of pairs that are not close, at the beginning
  };
  std::array<Axis, core::max_components> axes;
  std::uint64_t frames = 0;  // DifferenceState::frames at that time; 0: no state

  std::size_t size() const { return axes[0].speed.size(); }
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);
  std::size_t memory_usage() const {
    std::size_t bytes = 0;
    for (const Axis &axis : axes) bytes += codec::memory_of(axis.speed, axis.moved, axis.slow);
    return bytes;
  }
};

// Moves the particles of a state from their last positions. Holds working memory only, reused from frame to frame.
class PairMotion {
 public:
  static constexpr int speed_bits = 8;  // unit of speeds and displacements: 1/256 grid step
  static constexpr int fine_bits = 3;   // unit of vectors between moving particles: 1/8 of that of the list
  static constexpr int value_bits = 24;
  static constexpr std::int64_t limit = (std::int64_t{1} << 30) - 1;

  // Finds the pairs, once for each frame. Call forget_pairs() if the particles change. Returns false if there are too
  // many pairs.
  bool find(const codec::DifferenceState &state, const core::GridBox &box, std::uint64_t cutoff);
  // Computes the displacements up to the next frame. Call after find() with the cutoff of the settings. `after`
  // receives the state to remember.
  void move(const codec::DifferenceState &state, const PairSettings &settings, const PairTable &table,
            const MotionHistory &history, MotionHistory &after);

  void forget_pairs() { found_frames_ = 0; }

  std::size_t memory_usage() const {
    return list_.memory_usage() +
           codec::memory_of(total_, near_, close_, speed_, moved_, slow_, slow_change_, fine_, recorded_);
  }

  const crystal::NeighbourList &list() const { return list_; }
  // Exclusive upper bound of the squared distances in the list, in fine units.
  std::uint64_t end() const { return squared_end(list_.reach()); }
  static std::uint64_t squared_end(std::uint32_t reach) { return std::uint64_t{reach} * reach << (2 * fine_bits); }

  // For fits: records the displacements before each step, in fine units, by position in the list and component.
  void record(bool on) { record_ = on; }
  const std::vector<format::Column<std::int32_t>> &recorded() const { return recorded_; }

 private:
  using Sums = format::Column<std::uint64_t>;
  struct ClosePair {
    std::uint32_t own;
    std::uint32_t partner;
    std::int32_t way[core::max_components];  // in fine units
  };

  std::int64_t scaled(std::uint64_t sum) const;
  void sum_all(const PairTable &table);
  void sum_close(const PairTable &table);
  void begin(const codec::DifferenceState &state, const PairSettings &settings, const MotionHistory &history);
  void note_positions();

  crystal::NeighbourList list_;
  std::uint64_t found_frames_ = 0;  // frame and cutoff of the list
  std::uint64_t found_cutoff_ = 0;
  Sums total_;
  Sums near_;
  format::Column<ClosePair> close_;  // only the first close_count_ are valid
  std::size_t close_count_ = 0;
  // By position in the list and component.
  format::Column<std::int32_t> speed_;
  format::Column<std::int32_t> moved_;
  format::Column<std::int32_t> slow_;
  format::Column<std::int32_t> slow_change_;
  format::Column<std::int32_t> fine_;
  bool record_ = false;
  std::vector<format::Column<std::int32_t>> recorded_;
};

}  // namespace gpz::model
