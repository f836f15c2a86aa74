// SPDX-License-Identifier: BSD-3-Clause
// What comes before the coded integers of a section: how it is coded, the box on the grid, exact values
// (docs/format.md, sections 8 and 10).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/codings.hpp"
#include "gpz/frame.hpp"

namespace gpz::format {

// For each component of a field of image flags, 1 + the component of field 0 through whose periodic edges particles go
// when it changes; 0: none.
using Crossed = std::array<std::uint8_t, core::max_components>;

struct FieldCoding {
  FieldCodingKind kind = block_coded_values;
  Crossed crossed{};
};

// A value that the grid cannot hold: row and, from exact_component_shift on, component; bits.
struct ExactValue {
  std::uint64_t place;
  std::uint64_t bits;
};

inline constexpr int exact_component_shift = 56;
inline constexpr std::uint64_t exact_row_mask = (std::uint64_t{1} << exact_component_shift) - 1;

inline constexpr std::size_t exact_value_size = 16;  // bytes

inline constexpr std::size_t field_coding_size = 8;  // the kind, then whose crossings count, then zeros
// Bytes of a section head.
constexpr std::size_t section_head_size(SectionHead head, std::size_t components, std::size_t exact) {
  const std::size_t axes = head == SectionHead::axes_and_exact_values ? components * 16 : 0;
  return head == SectionHead::none ? 0 : axes + 8 + exact * exact_value_size;
}
// Bytes of one with axes, up to its exact values.
constexpr std::size_t section_head_size(std::size_t components) {
  return section_head_size(SectionHead::axes_and_exact_values, components, 0);
}

void append_field_coding(const FieldCoding &coding, std::vector<std::uint8_t> &bytes);
// Reads the first field_coding_size bytes of a section of `size` bytes, of a field of this class (FieldClass) in such a
// chunk. If the coding counts crossings, the first `counting` components may name those that they count. Throws
// corrupt; also for a coding that such chunks and fields may not have.
FieldCoding read_field_coding(const std::uint8_t *bytes, std::size_t size, ChunkKind chunk, unsigned field,
                              std::size_t counting = 0);

// What stands between the coding and the payload: axes of the box, exact values (their number, then place and bits of
// each), or neither.
void append_section_head(SectionHead head, const core::GridBox &box, std::size_t components,
                         const Column<ExactValue> &exact, std::vector<std::uint8_t> &bytes);
// Returns the length of the head in front of `size` bytes, of a section of `rows` particles. Axes may be missing where
// there are no bytes. Throws corrupt.
std::size_t read_section_head(SectionHead head, const std::uint8_t *bytes, std::size_t size, const Field &field,
                              std::uint64_t rows, core::GridBox &box, Column<ExactValue> &exact);
// Reads the axes alone, and returns the number of exact values: it looks at the first
// section_head_size(components) of the `size` bytes alone. Throws corrupt.
std::uint64_t read_section_start(const std::uint8_t *bytes, std::size_t size, const Field &field, core::GridBox &box);

}  // namespace gpz::format
