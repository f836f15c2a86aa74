// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/section_head.hpp"

#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::format {
namespace {

std::uint64_t read_exact_count(ByteReader &in, const Field &field) {
  const std::uint64_t count = in.u64();
  if (count > in.left() / exact_value_size || (count != 0 && is_plain(field)))
    corrupt("number of exact values", in.position());
  return count;
}

void read_axes(ByteReader &in, const Field &field, core::GridBox &box) {
  for (std::size_t d = 0; d < field.components.size(); ++d) {
    box[d].lo = in.i64();
    box[d].period = in.i64();
  }
}

}  // namespace

void append_field_coding(const FieldCoding &coding, std::vector<std::uint8_t> &bytes) {
  bytes.push_back(coding.kind);
  bytes.insert(bytes.end(), coding.crossed.begin(), coding.crossed.end());
  bytes.resize(bytes.size() + field_coding_size - 1 - coding.crossed.size());
}

FieldCoding read_field_coding(const std::uint8_t *bytes, std::size_t size, ChunkKind chunk, unsigned field,
                              std::size_t counting) {
  if (size < field_coding_size) corrupt("coding of a field", 0);
  if (bytes[0] == left_out_5 && chunk == ChunkKind::ordered && (field & on_grid) != 0)
    throw left_the_format("a section of coding 5", bonds_left_behind, 0);
  if (bytes[0] == left_out_12 && chunk == ChunkKind::ordered && (field & on_grid) != 0)
    throw left_the_format("a section of coding 12", segments_left_behind, 0);
  if (bytes[0] == left_out_9 && chunk == ChunkKind::difference && (field & positions) != 0)
    throw left_the_format("a section of coding 9", molecules_left_behind, 0);
  if (!allows_coding(chunk, bytes[0], field)) corrupt("unknown coding of a field", 0);
  FieldCoding coding;
  coding.kind = static_cast<FieldCodingKind>(bytes[0]);
  if (!rule_of(coding.kind).counts_crossings) counting = 0;
  for (std::size_t i = 1; i < field_coding_size; ++i) {
    const std::size_t d = i - 1;
    const bool may_count = d < coding.crossed.size() && d < counting;
    if (bytes[i] > (may_count ? core::max_components : 0)) corrupt("coding of a field", i);
    if (may_count) coding.crossed[d] = bytes[i];
  }
  return coding;
}

void append_section_head(SectionHead head, const core::GridBox &box, std::size_t components,
                         const Column<ExactValue> &exact, std::vector<std::uint8_t> &bytes) {
  if (head == SectionHead::none) return;
  ByteWriter writer(bytes);
  for (std::size_t d = 0; head == SectionHead::axes_and_exact_values && d < components; ++d) {
    const core::GridAxis axis = core::checked_axis(box[d]);
    writer.i64(axis.lo);
    writer.i64(axis.period);
  }
  writer.u64(exact.size());
  for (const ExactValue &value : exact) {
    writer.u64(value.value_index);
    writer.u64(value.bits);
  }
}

std::size_t read_section_head(SectionHead head, const std::uint8_t *bytes, std::size_t size, const Field &field,
                              std::uint64_t rows, core::GridBox &box, Column<ExactValue> &exact) {
  exact.clear();
  const bool has_axes = head == SectionHead::axes_and_exact_values;
  if (head == SectionHead::none || (has_axes && size == 0)) return 0;
  ByteReader in(bytes, size);
  if (has_axes) read_axes(in, field, box);
  const std::uint64_t count = read_exact_count(in, field);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t value_index = in.u64();
    if (value_index >> exact_component_shift >= field.components.size() || (value_index & exact_row_mask) >= rows)
      corrupt("place of an exact value", in.position());
    exact.push_back({value_index, in.u64()});
  }
  return in.position();
}

std::uint64_t read_section_start(const std::uint8_t *bytes, std::size_t size, const Field &field, core::GridBox &box) {
  ByteReader in(bytes, size);
  read_axes(in, field, box);
  return read_exact_count(in, field);
}

}  // namespace gpz::format
