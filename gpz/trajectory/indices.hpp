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
#include "gpz/trajectory.hpp"
#include "gpz/trajectory/rows.hpp"

namespace gpz::trajectory {

// The index of a value that the grid cannot hold, which is stored exactly next to it: its prediction, and those of
// others, build on it.
enum class ExactIndex : std::uint8_t {
  known,    // that of its row in the frame before, or of the row before
  nearest,  // the nearest one, if there is one: the value may only have been rounded to FP32
};
// GPUs write effort fast, with `known`.
inline ExactIndex exact_index(std::uint32_t features) {
  return effort_within(features) == Effort::fast ? ExactIndex::known : ExactIndex::nearest;
}

// Indices of a field, one column for each component, and the values that indices cannot represent.
struct Indices {
  std::array<format::Column<std::int64_t>, core::max_components> column;
  format::Column<format::ExactValue> exact;

  codec::IndexColumns columns(std::size_t components) const;
  codec::IndexOutput resize(std::size_t rows, std::size_t components, int threads = 1);

  // Loads the caller's arrays. A value that the grid cannot hold gets the `chosen` index: ExactIndex::known is that of
  // its row in `last`, or without `last` the index of the row before. Raises `largest_error` to the largest error of
  // these values.
  void load(const FieldInput &input, const Rows &rows, const codec::DifferenceState *last, ExactIndex chosen,
            int threads, double &largest_error);
  // Call after load without `last`. Values at the start of a column that the grid cannot hold get the first index in
  // the column, so that they do not widen the bounding box.
  void fill_first();
  // Loads n particles of a chunk; `decode` writes their values to its argument. A value that the grid cannot hold gets
  // index 0.
  void load_decoded(const Field &field, std::size_t n, int threads,
                    const std::function<void(const codec::Target &)> &decode);
  // Call with the indices and exact values of a decoded section of n particles, whose field is on a grid. Changes them
  // to what load_decoded would give for the section's values, which takes longer.
  void take_decoded(const Field &field, std::size_t n, int threads);
};

}  // namespace gpz::trajectory
