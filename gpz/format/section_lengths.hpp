// SPDX-License-Identifier: BSD-3-Clause
// How many bytes each field takes in a chunk, from the head of the chunk (docs/format.md, sections 4, 8 and 10).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/format/difference_chunk.hpp"
#include "gpz/format/read_chunk.hpp"

namespace gpz::format {

// Adds to sizes[f] the length of the section of field f in a chunk of `length` bytes, with that of arriving particles.
// Throws truncated, corrupt (longer than the chunk).
void add_section_lengths(const ReadChunk &read, std::uint64_t length, std::vector<std::uint64_t> &sizes);

// Where the sections of an independent chunk are, which fill it up to its end. Throws corrupt, truncated.
std::vector<Span> read_sections(const std::uint8_t *bytes, std::size_t size, ChunkKind kind, std::size_t fields);

}  // namespace gpz::format
