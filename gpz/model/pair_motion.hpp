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
#include "gpz/kernels/motion_kernels.hpp"
#include "gpz/kernels/pair_motion.hpp"
#include "gpz/model/pair_settings.hpp"
#include "gpz/model/pair_shares.hpp"
#include "gpz/model/pair_table.hpp"

namespace gpz::model {

// State of the last predicted frame for each slot and component, in units of 1/256 grid step.
struct MotionHistory {
  using Vector = std::array<std::int32_t, codec::Motion::stride>;
  struct Particle {
    Vector speed{};  // at the end, without the last half kick
    Vector moved{};  // expected displacement
    Vector slow{};   // force of pairs that are not close, at the beginning
  };
  format::Column<Particle> particles;
  std::uint64_t frames = 0;  // DifferenceState::frames at that time; 0: no state

  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);
  std::size_t memory_usage() const { return codec::memory_of(particles); }
};

// Moves the particles of a state from their last positions. Holds working memory only, reused from frame to frame.
// Results do not depend on the number of threads.
class PairMotion {
 public:
  static constexpr int speed_bits = core::motion_bits;  // unit of speeds and displacements: 1/256 grid step
  static constexpr int fine_bits = codec::PairsOfParticles::fine_bits;  // unit of vectors between moving particles
  static constexpr int value_bits = 24;
  static constexpr std::size_t stride = codec::Motion::stride;  // of columns by index and component

  PairMotion() = default;
  PairMotion(const PairMotion &) = delete;  // the shares point to the list
  PairMotion &operator=(const PairMotion &) = delete;

  // Finds the pairs, once for each frame. Call forget_pairs() if the particles change. Returns false if there are too
  // many pairs.
  bool find(const codec::DifferenceState &state, const core::GridBox &box, std::uint64_t cutoff, int threads);
  // Computes the displacements up to the next frame, on the threads of find(). Call after find() with the cutoff of the
  // settings. `after` receives the state to remember.
  void move(const codec::DifferenceState &state, const PairSettings &settings, const PairTable &table,
            const MotionHistory &history, MotionHistory &after);

  void forget_pairs() { found_frames_ = 0; }

  std::size_t memory_usage() const {
    return list_.memory_usage() + shares_.memory_usage() + trial_.memory_usage() + best_trial_.memory_usage() +
           spare_.memory_usage() +
           codec::memory_of(total_, near_, speed_, moved_, slow_, slow_change_, fine_, recorded_);
  }

  const crystal::NeighbourList &list() const { return list_; }
  // Exclusive upper bound of the squared distances in the list, in fine units.
  std::uint64_t end() const { return squared_end(list_.reach()); }
  static std::uint64_t squared_end(std::uint32_t reach) { return std::uint64_t{reach} * reach << (2 * fine_bits); }

  // For fits: the state after the last trial, and the best one.
  MotionHistory &trial() { return trial_; }
  MotionHistory &best_trial() { return best_trial_; }
  // Memory of a history that is not needed any more, for the next one.
  MotionHistory &spare() { return spare_; }
  // For fits: records the displacements before each step, in fine units, by index in the list and component.
  void record(bool on) { record_ = on; }
  std::size_t recorded_steps() const { return recorded_steps_; }
  const format::Column<std::int32_t> &recorded(std::size_t step) const { return recorded_[step]; }

 private:
  using Sums = format::Column<std::uint64_t>;

  // Copies the state at the start of the motion to the order of the list, for indices `begin` to `end` - 1.
  void take_history(const codec::DifferenceState &state, const MotionHistory &history, bool goes_on, std::size_t begin,
                    std::size_t end);
  codec::Motion motion_at(std::size_t index);

  crystal::NeighbourList list_;
  std::uint64_t found_frames_ = 0;  // frame and cutoff of the list
  std::uint64_t found_cutoff_ = 0;
  PairShares shares_;
  // By index in the list and component, with `stride`.
  Sums total_;
  Sums near_;
  format::Column<std::int32_t> speed_;
  format::Column<std::int32_t> moved_;
  format::Column<std::int32_t> slow_;
  format::Column<std::int32_t> slow_change_;
  format::Column<std::int32_t> fine_;
  MotionHistory trial_;
  MotionHistory best_trial_;
  MotionHistory spare_;
  bool record_ = false;
  std::size_t recorded_steps_ = 0;
  std::vector<format::Column<std::int32_t>> recorded_;  // the first `recorded_steps_` are used
};

}  // namespace gpz::model
