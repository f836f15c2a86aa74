// SPDX-License-Identifier: BSD-3-Clause
// The order of particles by ascending ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/memory.hpp"
#include "gpz/codec/target.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::trajectory {

// Computes the row of each particle after sorting by id; equal ids keep their order. Keeps its memory from frame to
// frame.
class IdOrder {
 public:
  // Target for the ids of n particles in stored order; call rank() afterwards. Throws limit_exceeded for more than 2^32
  // particles, std::bad_alloc.
  codec::Target target(std::size_t n);
  void rank(int threads = 1);

  std::size_t memory_usage() const { return codec::memory_of(ids_, rows_, seen_); }
  const format::Column<std::int64_t> &ids() const { return ids_; }
  // Rows for codec::Target; nullptr if particles are stored in this order.
  const std::uint32_t *rows() const { return is_sorted_ ? nullptr : rows_.data(); }

 private:
  bool rank_all_present(std::int64_t least, int threads);
  void rank_by_counting(std::int64_t least, std::size_t range);
  void rank_by_sorting();

  format::Column<std::int64_t> ids_;
  format::Column<std::uint32_t> rows_;
  format::Column<std::uint8_t> seen_;  // whether a row has a particle
  bool is_sorted_ = true;
};

}  // namespace gpz::trajectory
