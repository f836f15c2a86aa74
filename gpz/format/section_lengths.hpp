// SPDX-License-Identifier: BSD-3-Clause
// How many bytes each field takes in a chunk, from the head of the chunk (docs/format.md, sections 4, 8 and 10).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace gpz::format {

// Reads `size` bytes of a chunk from the byte `at` on.
using ReadChunk = std::function<void(std::uint64_t at, std::uint8_t *bytes, std::size_t size)>;

// Adds to sizes[f] the length of the section of field f in a chunk of `length` bytes, with that of arriving particles.
// Throws truncated, corrupt (longer than the chunk).
void add_section_lengths(const ReadChunk &read, std::uint64_t length, std::vector<std::uint64_t> &sizes);

}  // namespace gpz::format
