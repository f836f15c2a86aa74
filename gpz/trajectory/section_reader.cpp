// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/section_reader.hpp"

#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/trajectory/codings/block_coded.hpp"
#include "gpz/trajectory/located.hpp"
#include "gpz/trajectory/values.hpp"

namespace gpz::trajectory {

OpenedSection open_section(ChunkKind kind, const SectionContext &context, bool is_identity, const std::uint8_t *bytes,
                           std::size_t size, format::Column<format::ExactValue> &exact, std::size_t counting) {
  exact.clear();
  const format::FieldCoding coding = format::read_field_coding(bytes, size, counting);
  OpenedSection section;
  section.coding = find_coding(kind, coding.kind, context.field, is_identity);
  if (section.coding == nullptr) format::refuse_coding();
  section.crossed = coding.crossed;
  section.head = format::field_coding_size;
  const std::uint8_t *const head = bytes + section.head;
  const std::size_t left = size - section.head;
  located(section.head, [&] {
    if (section.coding->head == SectionHead::exact_values) {
      format::ByteReader in(head, left);
      format::read_exact_values(in, context.field, context.particles, exact);
      section.head += in.position();
    } else if (section.coding->head == SectionHead::axes_and_exact_values && left != 0) {
      section.head +=
          format::read_section_head(head, left, context.field, context.particles, section.payload.box, exact);
    }
  });
  section.payload.bytes = bytes + section.head;
  section.payload.size = size - section.head;
  return section;
}

void decode_indices(const SectionContext &context, const OpenedSection &section, Indices &indices) {
  located(section.head, [&] {
    if (section.coding->decode == nullptr)
      indices.load_decoded(context.field, context.particles,
                           [&](const cpu::Target &target) { decode_block_coded(context, section.payload, target); });
    else
      section.coding->decode(context, section.payload, indices.resize(context.particles, context.components()));
  });
}

void decode_values(const SectionContext &context, const OpenedSection &section, Indices &indices,
                   const cpu::Target &target) {
  if (section.coding->decode == nullptr) {
    located(section.head, [&] { decode_block_coded(context, section.payload, target); });
    return;
  }
  decode_indices(context, section, indices);
  write_values(context.field, indices.columns(context.components()), context.particles, indices.exact, target);
}

}  // namespace gpz::trajectory
