// SPDX-License-Identifier: BSD-3-Clause
// The codings of sections as data (docs/format.md, sections 8 to 10i). Every kind of chunk except block consists of
// sections; a section is the values of one field in one coding. The functions are in trajectory/codings.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/format/chunk_kinds.hpp"
#include "gpz/frame.hpp"

namespace gpz::format {

enum FieldCodingKind : std::uint8_t {
  predicted_values = 1,
  block_coded_values = 2,
  ordered_values = 3,
  modelled_values = 4,
  left_out_5 = 5,  // before version 1 was frozen, as 9 and 12
  halved_cells = 6,
  lattice_sites = 7,
  sequence_values = 8,
  left_out_9 = 9,
  classed_values = 10,
  few_values = 11,
  left_out_12 = 12,
  steps = 13,
};

// Classes of fields for codings, as bits.
enum FieldClass : std::uint8_t {
  sort_keys = 1,  // leading integers
  integers = 2,   // other integers
  lossless = 4,   // floats without a bound
  positions = 8,  // leading floats on a grid
  values = 16,    // other floats on a grid
  identity = 32,  // the ids by which a chunk is sorted
  on_grid = positions | values,
  any_field = sort_keys | integers | lossless | on_grid,
};
FieldClass class_of(const Field &field);  // without `identity`

// Items between the coding number of a section and its payload.
enum class SectionHead : std::uint8_t { none, exact_values, axes_and_exact_values };

struct CodingRule {
  FieldCodingKind number;
  std::uint8_t differences;  // FieldClass bits that allow the coding in difference chunks
  std::uint8_t chunks;       // independent chunks that allow the coding, as bits 1 << ChunkKind
  std::uint8_t fields;       // FieldClass bits that allow the coding in independent chunks
  SectionHead head;
  bool has_indices;       // the payload decodes to indices, otherwise to values
  bool counts_crossings;  // can count crossings; without a payload, only crossings change values
  std::uint32_t feature;  // gpz::feature that files need, in addition to the chunk's; 0: none
};

inline constexpr std::uint8_t coding_count = 13;

constexpr std::uint8_t in_chunks(ChunkKind kind) {
  return static_cast<std::uint8_t>(1u << static_cast<std::uint32_t>(kind));
}

// Rule of a coding from 1 to coding_count.
constexpr CodingRule rule_of(FieldCodingKind number) {
  constexpr std::uint8_t ordered = in_chunks(ChunkKind::ordered);
  constexpr std::uint8_t cells = in_chunks(ChunkKind::cells);
  constexpr std::uint8_t sequence = in_chunks(ChunkKind::sequence);
  constexpr std::uint8_t every = ordered | cells | sequence;
  constexpr std::uint8_t any_order = any_field & ~lossless;
  constexpr auto none = SectionHead::none;
  constexpr auto exact = SectionHead::exact_values;
  constexpr auto axes = SectionHead::axes_and_exact_values;
  constexpr std::uint32_t modelled = feature::modelled_sections;
  constexpr std::uint32_t classed = feature::classed_sections;
  // clang-format off
  constexpr CodingRule rules[coding_count] = {
      // number            differences        chunks           fields                head   indices crossings feature
      {predicted_values,   any_field,         0,               0,                    axes,  true,   true,     0},
      {block_coded_values, any_field,         every,           any_field,            none,  false,  false,    0},
      {ordered_values,     0,                 ordered,         any_order | identity, axes,  true,   false,    0},
      {modelled_values,    on_grid,           0,               0,                    axes,  true,   false,    modelled},
      {left_out_5,         0,                 0,               0,                    none,  false,  false,    0},
      {halved_cells,       0,                 cells,           positions,            exact, true,   false,    0},
      {lattice_sites,      0,                 cells,           positions,            exact, true,   false,    0},
      {sequence_values,    0,                 sequence,        on_grid,              exact, true,   false,    0},
      {left_out_9,         0,                 0,               0,                    none,  false,  false,    0},
      {classed_values,     integers | values, ordered | cells, values,               exact, true,   false,    classed},
      {few_values,         lossless,          every,           lossless,             none,  true,   false,    classed},
      {left_out_12,        0,                 0,               0,                    none,  false,  false,    0},
      {steps,              positions,         ordered,         positions,            axes,  true,   false,    feature::steps},
  };
  // clang-format on
  return rules[number - 1];
}

constexpr bool rules_are_in_order() {
  for (std::uint8_t n = 1; n <= coding_count; ++n)
    if (rule_of(static_cast<FieldCodingKind>(n)).number != n) return false;
  return true;
}
static_assert(rules_are_in_order(), "row n is that of coding n, without gaps");

// Whether chunks of this kind allow a coding for a field of this class (FieldClass).
constexpr bool allows_coding(ChunkKind kind, std::uint8_t number, unsigned field) {
  if (number == 0 || number > coding_count) return false;
  const CodingRule rule = rule_of(static_cast<FieldCodingKind>(number));
  if (rule_of(kind).population == Population::followed) return (rule.differences & field) != 0;
  return (rule.chunks & in_chunks(kind)) != 0 && (rule.fields & field) != 0;
}

}  // namespace gpz::format
