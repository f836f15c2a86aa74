// SPDX-License-Identifier: BSD-3-Clause
// Header and directory of ordered sections (docs/format.md, section 10). The directory has one record per block.
#pragma once

#include <cstddef>

#include "gpz/core/difference_section.hpp"
#include "gpz/core/ordered.hpp"

namespace gpz::core {

// First byte of a section. Other values are reserved for other predictions or codes.
inline constexpr std::uint8_t ordered_values_kind = 1;
inline constexpr std::uint8_t ordered_runs_kind = 2;
// Values: kind, `swapped`, the two lags, then the item widths from this byte on.
inline constexpr std::size_t ordered_widths_at = 6;
// Runs: kind, 7 zero bytes, number of runs (8 bytes). The section that codes the runs follows.
inline constexpr std::size_t ordered_runs_header = 16;
inline constexpr int run_components = 2;
inline constexpr int max_ordered_items = max_components + max_residual_items;

// Directory entry of a block.
struct OrderedRecord {
  ResidualRecord residuals;
  std::int64_t first[max_components] = {};  // predicted position of the block's first particle
};

inline namespace GPZ_ISA {

// Items of a record: first[d] less base[d] of each component, then the items of the residuals.
GPZ_HD int ordered_items(int components) { return components + residual_items(components); }

// Largest width allowed for item i. Padding after the last item must be 0.
GPZ_HD int max_ordered_item_width(int components, int i) {
  return i < components ? 64 : i < ordered_items(components) ? max_residual_item_width : 0;
}

// End of the item widths in the header. Offsets and bases follow.
GPZ_HD std::size_t ordered_widths_end(int components) {
  return static_cast<std::size_t>(
      round_up_to_8(ordered_widths_at + static_cast<std::uint64_t>(ordered_items(components))));
}
GPZ_HD std::size_t ordered_header_size(int components) {
  return ordered_widths_end(components) + 3 * static_cast<std::size_t>(components) * 8;
}

// Reads the record of a block of n particles, whose items begin at bit `at`. Returns false if an item contradicts the
// format.
GPZ_HD bool read_ordered_record(const std::uint8_t *width, const std::uint32_t *directory, std::uint64_t at,
                                int components, std::uint32_t n, const std::int64_t *base, OrderedRecord &record) {
  for (int d = 0; d < components; at += width[d], ++d)
    record.first[d] = sum_of(static_cast<std::int64_t>(get_bits(directory, at, width[d])), base[d]);
  return read_residual_record(width + components, directory, at, components, n, false, record.residuals);
}

// With more runs than this, coding runs does not pay.
GPZ_HD std::uint64_t max_runs(std::uint64_t n) { return n / 2; }

}  // namespace GPZ_ISA
}  // namespace gpz::core
