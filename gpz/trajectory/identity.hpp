// SPDX-License-Identifier: BSD-3-Clause
// Identity: matches the particles of a frame with those of the previous one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/format/budget.hpp"

namespace gpz::trajectory {

class Identity {
 public:
  static constexpr std::uint32_t nowhere = UINT32_MAX;

  // Finds the particle of each slot by its id; particle_of_slot() is `nowhere` if it has left. Equal ids are paired in
  // order. ids[i] is the id of particle i; there are fewer than 2^32.
  void match(const format::Column<std::int64_t> &slot_ids, const format::Column<std::int64_t> &ids, int threads = 1);
  const std::vector<std::uint32_t> &particle_of_slot() const { return is_guess_ ? guess_ : particle_of_slot_; }
  // No particle has left or arrived.
  bool all_stay() const { return all_stay_; }
  const std::vector<std::uint32_t> &arriving() const { return arriving_; }  // particles without a slot, ascending

  // Whether an id occurs more than once.
  static bool repeats(const format::Column<std::int64_t> &ids);
  // Whether an id occurs more than once in the `ids` of the last match(). The ids of the slots must have been distinct.
  bool repeats_match(const format::Column<std::int64_t> &ids) const;

  // Sets the slots of the next frame: this frame's slots with a particle, then the arriving particles.
  void renumber();
  // Discards the guess from the order of the caller's particles.
  void reset() { guess_.clear(); }

  std::size_t memory_usage() const;

 private:
  std::size_t count_guessed(const format::Column<std::int64_t> &slot_ids, const format::Column<std::int64_t> &ids,
                            int threads) const;
  bool match_by_table(const format::Column<std::int64_t> &slot_ids, const format::Column<std::int64_t> &ids,
                      int threads);
  void match_by_hash(const format::Column<std::int64_t> &slot_ids, const format::Column<std::int64_t> &ids);

  bool is_guess_ = false;  // the last match
  bool all_stay_ = false;
  std::vector<std::uint32_t> guess_;  // particle of each slot if the caller's order has not changed
  std::vector<std::uint32_t> particle_of_slot_;
  std::vector<std::uint32_t> arriving_;
  std::vector<std::uint32_t> table_;  // particles by id, or slots by hash of their id
  std::vector<bool> taken_;           // particles with a slot
};

}  // namespace gpz::trajectory
