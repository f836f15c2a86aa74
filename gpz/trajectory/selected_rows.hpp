// SPDX-License-Identifier: BSD-3-Clause
// The rows of selected particles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "gpz/codec/target.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/selected.hpp"
#include "gpz/frame.hpp"

namespace gpz::trajectory {

// Gives the selected particles of a frame the rows 0, 1, ..., in the order of all particles. Keeps its memory from
// frame to frame.
class SelectedRows {
 public:
  // `order`: row of each particle among all particles of the frame; nullptr: particles are stored in this order.
  // write(field, target) decodes a field of the frame. Throws what it throws, not_found (format::select, and a column
  // that is missing), limit_exceeded (more than 2^32 - 1 particles), std::bad_alloc.
  template <typename Write>
  void choose(const Selection &selection, const std::vector<Field> &fields, const Box &box, std::size_t particles,
              const std::uint32_t *order, const Write &write) {
    const format::SelectionColumns columns(selection, fields);
    prepare(columns, particles);
    for (const auto &[field, target] : targets_) write(field, target);
    choose_decoded(selection, columns, box, order);
  }

  std::size_t count() const { return count_; }
  // For a codec::Target that is partial: codec::no_row for particles that are not selected.
  const std::uint32_t *rows() const { return rows_.data(); }

 private:
  void prepare(const format::SelectionColumns &columns, std::size_t particles);
  void choose_decoded(const Selection &selection, const format::SelectionColumns &columns, const Box &box,
                      const std::uint32_t *order);
  void number(const std::uint32_t *order);

  // Values that the selection looks at, and where the fields that have them are decoded to.
  std::array<format::Column<std::int64_t>, 2> integers_;
  std::array<format::Column<double>, 3> floats_;
  std::map<std::size_t, codec::Target> targets_;
  format::Column<std::uint8_t> taken_;
  format::Column<std::uint32_t> rows_;
  format::Column<std::uint32_t> before_;  // selected particles in front of a row of `order`
  std::size_t count_ = 0;
};

}  // namespace gpz::trajectory
