// SPDX-License-Identifier: BSD-3-Clause
// Reads sections of any chunk kind and coding (docs/format.md, section 8).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/codec/target.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {

struct OpenedSection {
  const Coding *coding = nullptr;
  format::Crossed crossed{};
  Payload payload{};
  std::size_t head = 0;  // bytes before the payload
};

// Reads coding and head of a section of `size` bytes, aligned to 4, for context.particles particles. `exact` receives
// values that indices cannot represent. The first `counting` components may count crossings. A section that ends after
// its coding has no payload. Throws corrupt with the position in the section.
OpenedSection open_section(ChunkKind kind, const SectionContext &context, FieldClass field, const std::uint8_t *bytes,
                           std::size_t size, format::Column<format::ExactValue> &exact, std::size_t counting = 0);

// Decodes the indices of a section. `indices.exact` has the values of open_section, or receives those of a block chunk.
// Throws corrupt, limit_exceeded, std::bad_alloc, with positions in the section.
void decode_indices(const SectionContext &context, const OpenedSection &section, Indices &indices);

// Decodes the values of a section, through `indices` if the coding has them. Throws as above.
void decode_values(const SectionContext &context, const OpenedSection &section, Indices &indices,
                   const codec::Target &target);

}  // namespace gpz::trajectory
