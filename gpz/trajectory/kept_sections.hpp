// SPDX-License-Identifier: BSD-3-Clause
// Removes fields from chunks by leaving out the bytes of their sections. Sections that others need cannot be removed
// (docs/format.md, sections 4, 8 and 10).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/format/opened_chunk.hpp"

namespace gpz::trajectory {

// Returns the chunk with the sections of the kept fields; at least one must be kept. Throws unsupported if a kept
// section needs a removed one: image flags of a difference chunk count the crossings of field 0, an ordered chunk is in
// the order of its ids, sections of coding 11 name a field of classes. Throws corrupt, truncated.
std::vector<std::uint8_t> kept_sections(const format::OpenedChunk &chunk, std::uint64_t particles,
                                        const std::vector<bool> &kept);

}  // namespace gpz::trajectory
