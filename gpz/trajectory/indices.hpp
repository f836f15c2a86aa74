// SPDX-License-Identifier: BSD-3-Clause
// Converts values of a field to the integers that are predicted (docs/format.md, section 8). values.hpp has the
// inverse.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/target.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/section_head.hpp"
#include "gpz/frame.hpp"
#include "gpz/trajectory/rows.hpp"

namespace gpz::trajectory {

// Indices of a field, one column for each component, and the values that indices cannot represent.
struct Indices {
  std::array<format::Column<std::int64_t>, core::max_components> column;
  format::Column<format::ExactValue> exact;

  codec::IndexColumns columns(std::size_t components) const;
  codec::IndexOutput resize(std::size_t rows, std::size_t components);

  // Loads the caller's arrays. A value that the grid cannot hold gets the index of its row in `last`, or without `last`
  // the index of the row before. Raises `largest_error` to the largest error of these values.
  void load(const FieldInput &input, const Rows &rows, const codec::DifferenceState *last, double &largest_error);
  // Call after load without `last`. Values at the start of a column that the grid cannot hold get the first index in
  // the column, so that they do not widen the bounding box.
  void fill_first();
  // Loads n particles of a chunk; `decode` writes their values to its argument. A value that the grid cannot hold gets
  // index 0.
  void load_decoded(const Field &field, std::size_t n, const std::function<void(const codec::Target &)> &decode);
};

}  // namespace gpz::trajectory
