// SPDX-License-Identifier: BSD-3-Clause
// The order of ascending ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/target.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::trajectory {

// Which row each particle of a frame has when they are sorted by id; those of equal ids keep their order. Keeps its
// memory from one frame to the next.
class IdOrder {
 public:
  // Room for the ids of n particles, in the order in which they are stored; then rank() finds the rows. Throws
  // limit_exceeded if there are more particles than rows can be numbered (2^32), std::bad_alloc.
  codec::Target target(std::size_t n);
  void rank();

  const format::Column<std::int64_t> &ids() const { return ids_; }
  // For codec::Target; nullptr: they are stored in that order.
  const std::uint32_t *rows() const { return is_sorted_ ? nullptr : rows_.data(); }

 private:
  bool rank_all_present(std::int64_t least);
  void rank_by_counting(std::int64_t least, std::size_t range);
  void rank_by_sorting();

  format::Column<std::int64_t> ids_;
  format::Column<std::uint32_t> rows_;
  format::Column<std::uint8_t> seen_;  // whether there is a particle for each row
  bool is_sorted_ = true;
};

}  // namespace gpz::trajectory
