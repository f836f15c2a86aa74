// SPDX-License-Identifier: BSD-3-Clause
// The kinds of chunks as data, for host and device (docs/format.md, sections 4, 8, 10, 10e and 10f). Code asks the row
// of a kind for its properties, and does not compare kinds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/chunk.hpp"
#include "gpz/core/config.hpp"

namespace gpz::format {

// Particles of a chunk, and their order.
enum class Population : std::uint8_t {
  stored,    // as many as the frame head says, in the order of its sections
  chosen,    // the same; the encoder's first section chooses the order
  by_id,     // the same, by ascending ids; the chunk head names their field
  followed,  // staying particles of the previous chunk, then those of a nested block chunk
};

// Structure of a field's bytes.
enum class Family : std::uint8_t {
  blocks,    // block by block; the head has the block size
  sections,  // a section with a coding (codings.hpp)
};

struct ChunkRule {
  ChunkKind kind;
  std::uint8_t head;  // bytes before the section lengths
  Population population;
  Family family;
  // Limits of particles: per byte of the chunk, and in total. 0 per byte: no limits, because sections and head prove
  // how many particles there are.
  std::uint32_t particles_a_byte;
  std::uint64_t most_particles;
  std::uint32_t feature;  // gpz::feature that files need; 0: none
};

inline constexpr std::uint32_t chunk_kinds = 5;
inline constexpr std::size_t max_followed = INT32_MAX;  // particles of a difference chunk, because rows are int

GPZ_HD constexpr ChunkRule rule_of(ChunkKind kind) {
  constexpr std::uint32_t unlimited = 0;
  constexpr std::uint32_t limited = 8 * 1024;
  // clang-format off
  constexpr ChunkRule rules[chunk_kinds] = {
      // kind                 head  population            family            a byte     most          feature
      {ChunkKind::block,        8,  Population::stored,   Family::blocks,   unlimited, UINT64_MAX,   0},
      {ChunkKind::difference,  40,  Population::followed, Family::sections, unlimited, UINT64_MAX,   0},
      {ChunkKind::ordered,     16,  Population::by_id,    Family::sections, limited,   UINT64_MAX,   0},
      {ChunkKind::cells,        8,  Population::chosen,   Family::sections, limited,   max_followed, feature::cell_chunks},
      {ChunkKind::sequence,     8,  Population::stored,   Family::sections, limited,   max_followed, feature::sequence_chunks},
  };
  // clang-format on
  return rules[static_cast<std::uint32_t>(kind)];
}

constexpr bool kinds_are_in_order() {
  for (std::uint32_t k = 0; k < chunk_kinds; ++k)
    if (rule_of(static_cast<ChunkKind>(k)).kind != static_cast<ChunkKind>(k)) return false;
  return true;
}
static_assert(kinds_are_in_order(), "row k is that of chunk kind k, without gaps");

// Whether a chunk of `size` bytes may have this many particles. Keeps memory in proportion to the size of the file.
GPZ_HD constexpr bool may_have(const ChunkRule &rule, std::uint64_t particles, std::uint64_t size) {
  return rule.particles_a_byte == 0 ||
         (particles != 0 && particles / rule.particles_a_byte <= size && particles <= rule.most_particles);
}

// Whether particles keep the order of the encoder's input.
constexpr bool keeps_order(const ChunkRule &rule) {
  return rule.population == Population::stored && rule.family == Family::sections;
}

}  // namespace gpz::format
