// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/section_reader.hpp"

#include "gpz/format/corrupt.hpp"

namespace gpz::trajectory {

using format::located;

OpenedSection open_section(ChunkKind kind, const SectionContext &context, FieldClass field, const std::uint8_t *bytes,
                           std::size_t size, format::Column<format::ExactValue> &exact, std::size_t counting) {
  const format::FieldCoding coding = format::read_field_coding(bytes, size, kind, field, counting);
  OpenedSection section;
  section.coding = &coding_of(coding.kind);
  section.crossed = coding.crossed;
  located(format::field_coding_size, [&] {
    const std::uint8_t *const head = bytes + format::field_coding_size;
    section.head = format::read_section_head(section.coding->head, head, size - format::field_coding_size,
                                             context.field, context.particles, section.payload.box, exact);
  });
  section.head += format::field_coding_size;
  section.payload.bytes = bytes + section.head;
  section.payload.size = size - section.head;
  return section;
}

void decode_indices(const SectionContext &context, const OpenedSection &section, Indices &indices) {
  located(section.head, [&] { section.coding->load(context, section.payload, indices); });
}

void decode_values(const SectionContext &context, const OpenedSection &section, Indices &indices,
                   const codec::Target &target) {
  located(section.head, [&] { section.coding->write(context, section.payload, indices, target); });
}

}  // namespace gpz::trajectory
