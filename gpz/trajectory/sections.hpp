// SPDX-License-Identifier: BSD-3-Clause
// The sections of a chunk as they are written, one a field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/format/chunk_head.hpp"

namespace gpz::trajectory {

// append(f) appends the section of field f to `bytes`, which begin with the head of the chunk; its length goes into the
// head.
template <typename Append>
void append_sections(ChunkKind kind, std::size_t fields, std::vector<std::uint8_t> &bytes, const Append &append) {
  for (std::size_t f = 0; f < fields; ++f) {
    const std::size_t begin = bytes.size();
    append(f);
    format::set_section_length(bytes, kind, f, bytes.size() - begin);
  }
}

}  // namespace gpz::trajectory
