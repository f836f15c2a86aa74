// SPDX-License-Identifier: BSD-3-Clause
// The bytes around the sections of a difference chunk (docs/format.md, section 8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/format/budget.hpp"

namespace gpz::format {

struct Span {
  std::size_t offset = 0;  // from the start of the chunk
  std::size_t size = 0;    // bytes
};

struct DifferenceChunk {
  std::uint64_t arriving = 0;
  std::vector<std::uint32_t> leaving;  // slots of the chunk before, ascending
  Charge charge;                       // for them
  std::vector<Span> sections;          // of the particles that stay, one a field
  Span arrivals;                       // a chunk of those that are new
};

// Appends everything before the sections. set_section_length (chunk_head.hpp) and set_arrivals_length fill in the
// lengths afterwards.
void append_difference_head(std::uint64_t reference, const std::vector<std::uint32_t> &leaving, std::uint64_t arriving,
                            std::size_t fields, std::vector<std::uint8_t> &bytes);
void set_arrivals_length(std::vector<std::uint8_t> &bytes, std::uint64_t length);

// The length of everything before the sections, from the first chunk_head_size of the `size` bytes of a chunk. Throws
// corrupt, truncated.
std::size_t difference_head_size(const std::uint8_t *bytes, std::size_t size, std::size_t fields);

// Reads what append_difference_head wrote, for a chunk of `size` bytes and `particles` that builds on one of
// `reference`. Of the bytes, it looks at the first difference_head_size. Throws corrupt, truncated, std::bad_alloc (of
// no more than the bytes account for).
DifferenceChunk read_difference_head(const std::uint8_t *bytes, std::size_t size, std::uint64_t reference,
                                     std::uint64_t particles, std::size_t fields);

}  // namespace gpz::format
