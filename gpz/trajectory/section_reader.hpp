// SPDX-License-Identifier: BSD-3-Clause
// Sections as they are read, whatever the kind of chunk and the coding (docs/format.md, section 8).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/codec/target.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {

// A section whose head was read.
struct OpenedSection {
  const Coding *coding = nullptr;
  format::Crossed crossed{};
  Payload payload{};
  std::size_t head = 0;  // bytes in front of the payload
};

// Reads coding and head of the section of `size` bytes, aligned to 4, for context.particles particles; `exact` gets the
// values that indices do not give. The first `counting` components may count crossings. A section without more than its
// coding has no payload. Throws corrupt with the position in the section.
OpenedSection open_section(ChunkKind kind, const SectionContext &context, FieldClass field, const std::uint8_t *bytes,
                           std::size_t size, format::Column<format::ExactValue> &exact, std::size_t counting = 0);

// Decodes its indices. `indices.exact` has the values of open_section, or gets those of a block chunk. Throws corrupt,
// limit_exceeded, std::bad_alloc; positions are those in the section.
void decode_indices(const SectionContext &context, const OpenedSection &section, Indices &indices);

// Decodes its values, by way of `indices` if the coding has them. Throws as above.
void decode_values(const SectionContext &context, const OpenedSection &section, Indices &indices,
                   const codec::Target &target);

}  // namespace gpz::trajectory
