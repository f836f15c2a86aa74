// SPDX-License-Identifier: BSD-3-Clause
// Writes the head of a chunk (docs/format.md, sections 4, 8, 10, 10e and 10f): block size, kind, items of the kind, and
// the length of each section. opened_chunk.hpp reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "gpz/format/chunk_kinds.hpp"

namespace gpz::format {

inline constexpr std::size_t chunk_kind_at = 4;
inline constexpr std::size_t chunk_start_size = 8;  // bytes of block size and kind
inline constexpr std::size_t section_length_size = sizeof(std::uint64_t);

// Offsets in a difference chunk, bytes.
inline constexpr std::size_t leaving_at = 16;
inline constexpr std::size_t arrivals_length_at = 32;
// Offsets in an ordered chunk, bytes.
inline constexpr std::size_t identity_field_at = 8;

GPZ_HD constexpr std::size_t section_length_at(ChunkKind kind, std::size_t field) {
  return rule_of(kind).head + field * section_length_size;
}

GPZ_HD constexpr std::size_t chunk_head_size(ChunkKind kind, std::size_t fields) {
  return section_length_at(kind, fields);
}

// Appends the head of a chunk with one section per field. Section lengths are 0 until set_section_length sets them.
// `added`: items of the kind.
void append_chunk_head(ChunkKind kind, std::initializer_list<std::uint64_t> added, std::size_t fields,
                       std::vector<std::uint8_t> &bytes);
// Sets the length of a section. `bytes` begin with the head; `length` in bytes.
void set_section_length(std::vector<std::uint8_t> &bytes, ChunkKind kind, std::size_t field, std::uint64_t length);

// Appends the head of a difference chunk, with the leaving slots. `before`: particles of the chunk that it builds on.
// Lengths are 0 until set_section_length and set_arrivals_length set them.
void append_difference_head(std::uint64_t before, const std::vector<std::uint32_t> &leaving, std::uint64_t arriving,
                            std::size_t fields, std::vector<std::uint8_t> &bytes);
void set_arrivals_length(std::vector<std::uint8_t> &bytes, std::uint64_t length);

}  // namespace gpz::format
