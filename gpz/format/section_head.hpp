// SPDX-License-Identifier: BSD-3-Clause
// Head of a section, before its coded integers: coding, box on the grid, exact values (docs/format.md, sections 8 and
// 10).
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

// For each component of a field of image flags: 1 + the component of field 0 whose crossings of periodic edges it
// counts; 0: none.
using Crossed = std::array<std::uint8_t, core::max_components>;

struct FieldCoding {
  FieldCodingKind kind = block_coded_values;
  Crossed crossed{};
};

// A value that the grid cannot hold. `value_index` combines the row, and the component from bit exact_component_shift
// on; `bits` are the bits of the value.
struct ExactValue {
  std::uint64_t value_index;
  std::uint64_t bits;
};

inline constexpr int exact_component_shift = 56;
inline constexpr std::uint64_t exact_row_mask = (std::uint64_t{1} << exact_component_shift) - 1;

inline constexpr std::size_t exact_value_size = 16;  // bytes

inline constexpr std::size_t field_coding_size = 8;  // coding, crossings, zeros
constexpr std::size_t section_head_size(SectionHead head, std::size_t components, std::size_t exact) {
  const std::size_t axes = head == SectionHead::axes_and_exact_values ? components * 16 : 0;
  return head == SectionHead::none ? 0 : axes + 8 + exact * exact_value_size;
}
// Bytes of a head with axes, before its exact values.
constexpr std::size_t section_head_size(std::size_t components) {
  return section_head_size(SectionHead::axes_and_exact_values, components, 0);
}

void append_field_coding(const FieldCoding &coding, std::vector<std::uint8_t> &bytes);
// Reads the first field_coding_size bytes of a section of `size` bytes. If the coding counts crossings, the first
// `counting` components may name them. Throws corrupt, also for a coding that this chunk does not allow for this class
// of field (FieldClass).
FieldCoding read_field_coding(const std::uint8_t *bytes, std::size_t size, ChunkKind chunk, unsigned field,
                              std::size_t counting = 0);

// Appends the items between coding and payload: axes of the box, and exact values (their number, then index and bits of
// each), as `head` says.
void append_section_head(SectionHead head, const core::GridBox &box, std::size_t components,
                         const Column<ExactValue> &exact, std::vector<std::uint8_t> &bytes);
// Reads these items from a section of `size` bytes and `rows` particles. Returns their length in bytes. Axes may be
// missing if there are no bytes. Throws corrupt.
std::size_t read_section_head(SectionHead head, const std::uint8_t *bytes, std::size_t size, const Field &field,
                              std::uint64_t rows, core::GridBox &box, Column<ExactValue> &exact);
// Reads only the axes, and returns the number of exact values. Uses only the first section_head_size(components) of the
// `size` bytes. Throws corrupt.
std::uint64_t read_section_start(const std::uint8_t *bytes, std::size_t size, const Field &field, core::GridBox &box);

}  // namespace gpz::format
