// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/codings.hpp"

#include <algorithm>
#include <array>

#include "gpz/format/fields.hpp"

namespace gpz::trajectory {
namespace {

constexpr unsigned in(ChunkKind kind) { return 1u << static_cast<unsigned>(kind); }

constexpr unsigned differences = in(ChunkKind::difference);
constexpr unsigned ordered = in(ChunkKind::ordered);
constexpr unsigned cells = in(ChunkKind::cells);
constexpr unsigned sequence = in(ChunkKind::sequence);
constexpr unsigned every = differences | ordered | cells | sequence;

constexpr auto no_head = SectionHead::none;
constexpr auto exact = SectionHead::exact_values;
constexpr auto axes = SectionHead::axes_and_exact_values;

// clang-format off
constexpr Coding codings[] = {
    // number                    chunks       fields                head     feature                     decode                encode
    {format::predicted_values,   differences, any_field,            axes,    0,                          decode_predicted,     encode_predicted},
    {format::modelled_values,    differences, on_grid,              axes,    feature::modelled_sections, decode_modelled,      encode_modelled},
    {format::molecules,          differences, positions,            axes,    feature::classed_sections,  decode_molecules,     encode_molecules},
    {format::block_coded_values, every,       any_field,            no_head, 0,                          nullptr,              encode_block_coded},
    {format::ordered_values,     ordered,     any_field & ~lossless, axes,   0,                          decode_ordered,       encode_ordered},
    {format::modelled_order,     ordered,     on_grid,              axes,    feature::modelled_sections, decode_ordered_model, encode_ordered_model},
    {format::halved_cells,       cells,       positions,            exact,   0,                          decode_cells,         encode_cells},
    {format::lattice_sites,      cells,       positions,            exact,   0,                          decode_sites,         encode_sites},
    {format::sequence_values,    sequence,    on_grid,              exact,   0,                          decode_sequence,      encode_sequence},
    {format::classed_values,     differences | ordered | cells, integers | values, exact, feature::classed_sections,  decode_classed,  encode_classed},
    {format::few_values,         every,       lossless,             no_head, feature::classed_sections,  decode_few_values,    encode_few_values},
};
// clang-format on

}  // namespace

FieldClass class_of(const Field &field, bool is_identity) {
  if (field.type == ValueType::integer) return field.leading || is_identity ? sort_keys : integers;
  if (format::is_plain(field)) return lossless;
  return field.leading ? positions : values;
}

const Coding *find_coding(std::uint8_t number) {
  const auto *const found =
      std::find_if(std::begin(codings), std::end(codings), [&](const Coding &row) { return row.number == number; });
  return found == std::end(codings) ? nullptr : found;
}

const Coding *find_coding(ChunkKind kind, std::uint8_t number, const Field &field, bool is_identity) {
  const Coding *const row = find_coding(number);
  if (row == nullptr || (row->chunks & in(kind)) == 0 || (row->fields & class_of(field, is_identity)) == 0)
    return nullptr;
  if (is_identity && row->decode == nullptr) return nullptr;
  return row;
}

}  // namespace gpz::trajectory
