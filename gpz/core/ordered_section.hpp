// SPDX-License-Identifier: BSD-3-Clause
// What sections in the order of ids have before their payload: a header, and a record for each block (docs/format.md,
// section 10).
#pragma once

#include <cstddef>

#include "gpz/core/difference_section.hpp"
#include "gpz/core/ordered.hpp"

namespace gpz::core {

// What sections start with; another number would be another prediction or another code.
inline constexpr std::uint8_t ordered_values_kind = 1;
inline constexpr std::uint8_t ordered_runs_kind = 2;
// Of values: the kind, which components look for lag 1 first, the lags, then the widths.
inline constexpr std::size_t ordered_widths_at = 6;
// Of runs, before the section that they are coded in: the kind, 7 zeros, their number.
inline constexpr std::size_t ordered_runs_header = 16;
inline constexpr int run_components = 2;
inline constexpr int max_ordered_items = max_components + max_residual_items;

// What the directory stores about a block.
struct OrderedRecord {
  ResidualRecord residuals;
  std::int64_t first[max_components] = {};  // where the first particle is expected
};

inline namespace GPZ_ISA {

// Items of a record: the first place of each component less its base, then those of the residuals.
GPZ_HD int ordered_items(int components) { return components + residual_items(components); }

// Most bits of item i of a header's widths, of which there are as many as fill 8 bytes.
GPZ_HD int max_ordered_item_width(int components, int i) {
  return i < components ? 64 : i < ordered_items(components) ? max_residual_item_width : 0;
}

// Of the header: the widths end here, then come offsets and bases.
GPZ_HD std::size_t ordered_widths_end(int components) {
  return static_cast<std::size_t>(
      round_up_to_8(ordered_widths_at + static_cast<std::uint64_t>(ordered_items(components))));
}
GPZ_HD std::size_t ordered_header_size(int components) {
  return ordered_widths_end(components) + 3 * static_cast<std::size_t>(components) * 8;
}

// The record of a block of n particles from its items, which begin at bit `at`. False if one contradicts the format.
GPZ_HD bool read_ordered_record(const std::uint8_t *width, const std::uint32_t *directory, std::uint64_t at,
                                int components, std::uint32_t n, const std::int64_t *base, OrderedRecord &record) {
  for (int d = 0; d < components; at += width[d], ++d)
    record.first[d] = sum_of(static_cast<std::int64_t>(get_bits(directory, at, width[d])), base[d]);
  return read_residual_record(width + components, directory, at, components, n, false, record.residuals);
}

// Columns with more runs are not worth it.
GPZ_HD std::uint64_t max_runs(std::uint64_t n) { return n / 2; }

}  // namespace GPZ_ISA
}  // namespace gpz::core
