// SPDX-License-Identifier: BSD-3-Clause
// The head of a chunk, of any kind, read once: where its parts are (docs/format.md, sections 4, 8, 10, 10e and 10f).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "gpz/format/chunk_kinds.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::format {

// Reads `size` bytes of a chunk from the byte `at` on, which are within it.
using ReadChunk = std::function<void(std::uint64_t at, std::uint8_t *bytes, std::size_t size)>;

struct Span {
  std::size_t offset = 0;  // from the start of the chunk, bytes
  std::size_t size = 0;    // bytes
};

struct OpenedChunk {
  ChunkRule rule = rule_of(ChunkKind::block);
  ReadChunk read;                       // its bytes, which have to stay
  const std::uint8_t *bytes = nullptr;  // if they are in memory
  std::size_t size = 0;                 // bytes
  std::uint32_t block_size = 0;         // particles
  std::vector<Span> sections;           // one a field
  // Population::by_id: the field of the ids.
  std::size_t identity = no_field;
  // Population::followed.
  std::uint64_t before = 0;    // particles of the chunk that it builds on
  std::uint64_t leaving = 0;   // of them
  std::uint64_t arriving = 0;  // particles
  Span slots;                  // of those that leave: read_leaving_slots
  Span arrivals;               // open_arrivals

  const std::uint8_t *section(std::size_t field) const { return bytes + sections[field].offset; }
};

// Reads the head of a chunk of `size` bytes, and nothing else. Its parts fill it up to its end. Throws corrupt,
// truncated, what `read` throws.
OpenedChunk open_chunk(const ReadChunk &read, std::size_t size, std::size_t fields);
OpenedChunk open_chunk(const std::uint8_t *bytes, std::size_t size, std::size_t fields);
// The block chunk inside another chunk: the payload of a section, or the particles that arrive. Throw as open_chunk.
OpenedChunk open_block_chunk(const std::uint8_t *bytes, std::size_t size, std::size_t fields);
OpenedChunk open_arrivals(const OpenedChunk &chunk);
void require_blocks(const ChunkRule &rule);

// Throws corrupt if the chunk cannot have so many particles. Those of block chunks are also checked by the directories
// of their sections; all others take memory in proportion to their bytes.
void check_particles(const OpenedChunk &chunk, std::uint64_t particles);
// Throws corrupt if a difference chunk builds on a chunk of another number of particles than `before`.
void check_predecessor(const OpenedChunk &chunk, std::uint64_t before);

// Bits of gpz::feature that readers of a chunk have to know (docs/format.md, section 13). A chunk that cannot be opened
// needs none: decoders report it. Throw what `read` throws.
std::uint32_t needed_features(const OpenedChunk &chunk);
std::uint32_t needed_features(const ReadChunk &read, std::size_t size, std::size_t fields);
// Throws corrupt if a chunk needs a feature that its file does not name.
void require_features(std::uint32_t named, std::uint32_t needed);

// Adds to sizes[f] the bytes of the section of field f, with those of arriving particles. Throws as open_chunk.
void add_section_sizes(const ReadChunk &read, std::size_t size, std::vector<std::uint64_t> &sizes);

// For chunks whose bytes are in memory.
ReadChunk read_from(const std::uint8_t *bytes);

}  // namespace gpz::format
