// SPDX-License-Identifier: BSD-3-Clause
// Which particle of a frame is which of the previous frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/format/budget.hpp"

namespace gpz::trajectory {

class Identity {
 public:
  static constexpr std::uint32_t nowhere = UINT32_MAX;

  // Finds the particle with the id of each slot; `nowhere` in particle_of_slot(): it left. Ids that are not unique are
  // paired as they come. ids[i] is that of particle i, fewer than 2^32 in all.
  void match(const format::Column<std::int64_t> &slot_ids, const format::Column<std::int64_t> &ids);
  const std::vector<std::uint32_t> &particle_of_slot() const { return particle_of_slot_; }
  const std::vector<std::uint32_t> &arriving() const { return arriving_; }  // particles without a slot, ascending

  // Whether an id occurs more than once.
  static bool repeats(const format::Column<std::int64_t> &ids);
  // Whether an id occurs more than once in the `ids` given to the last match(). The ids of its slots must have
  // differed.
  bool repeats_match(const format::Column<std::int64_t> &ids) const;

  // The slots of the next frame are this frame's slots that have a particle, then the arriving particles.
  void renumber();
  // Nothing is known of the order.
  void reset() { guess_.clear(); }

  std::size_t memory_usage() const;

 private:
  void match_by_hash(const format::Column<std::int64_t> &slot_ids, const format::Column<std::int64_t> &ids);

  std::vector<std::uint32_t> guess_;  // the particle of each slot, if the caller's order has not changed
  std::vector<std::uint32_t> particle_of_slot_;
  std::vector<std::uint32_t> arriving_;
  std::vector<std::uint32_t> table_;  // slots by hash of their id
  std::vector<bool> taken_;           // particles that have a slot
};

}  // namespace gpz::trajectory
