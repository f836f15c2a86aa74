// SPDX-License-Identifier: BSD-3-Clause
// The parsed head of a chunk of any kind, with the location of its parts (docs/format.md, sections 4, 8, 10, 10e and
// 10f).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "gpz/format/chunk_kinds.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::format {

// Reads `size` bytes of a chunk from byte `at` on. The range lies within the chunk.
using ReadChunk = std::function<void(std::uint64_t at, std::uint8_t *bytes, std::size_t size)>;

struct Span {
  std::size_t offset = 0;  // from the start of the chunk, bytes
  std::size_t size = 0;    // bytes
};

struct OpenedChunk {
  ChunkRule rule = rule_of(ChunkKind::block);
  ReadChunk read;                       // reads bytes of the chunk, which must stay valid
  const std::uint8_t *bytes = nullptr;  // the bytes, if they are in memory; otherwise nullptr
  std::size_t size = 0;                 // bytes
  std::uint32_t block_size = 0;         // particles
  std::vector<Span> sections;           // one per field
  // For Population::by_id: field of the ids.
  std::size_t identity = no_field;
  // For Population::followed:
  std::uint64_t before = 0;    // particles of the previous chunk
  std::uint64_t leaving = 0;   // particles of the previous chunk that leave
  std::uint64_t arriving = 0;  // particles that arrive
  Span slots;                  // leaving slots, for read_leaving_slots
  Span arrivals;               // for open_arrivals

  const std::uint8_t *section(std::size_t field) const { return bytes + sections[field].offset; }
  // For Population::followed: whether it has the particles of the previous chunk.
  bool keeps_particles() const { return leaving == 0 && arriving == 0; }
  // Whether a field may count crossings of field 0, which the heads of sections state. is_plain(f): whether field f is
  // followed, and plain.
  template <typename IsPlain>
  bool may_count_crossings(const IsPlain &is_plain) const {
    for (std::size_t f = 1; f < sections.size(); ++f)
      if (sections[f].size != 0 && is_plain(f)) return true;
    return false;
  }
};

// Reads only the head of a chunk of `size` bytes. Checks that the parts fill the chunk. Throws corrupt, truncated, and
// whatever `read` throws.
OpenedChunk open_chunk(const ReadChunk &read, std::size_t size, std::size_t fields);
OpenedChunk open_chunk(const std::uint8_t *bytes, std::size_t size, std::size_t fields);
// Open the block chunk inside another chunk: a section's payload, or the arriving particles. Throw as open_chunk.
OpenedChunk open_block_chunk(const std::uint8_t *bytes, std::size_t size, std::size_t fields);
OpenedChunk open_arrivals(const OpenedChunk &chunk);
void require_blocks(const ChunkRule &rule);

// Throws corrupt if the chunk cannot have this many particles. In block chunks the directories of sections prove the
// number; in other chunks memory stays in proportion to their bytes.
void check_particles(const OpenedChunk &chunk, std::uint64_t particles);

// Bits of gpz::feature that readers of the chunk need (docs/format.md, section 13). 0 for a chunk that cannot be
// opened; decoders report it. Throws what `read` throws.
std::uint32_t needed_features(const OpenedChunk &chunk);
std::uint32_t needed_features(const ReadChunk &read, std::size_t size, std::size_t fields);
// Throws corrupt if a chunk needs a feature that its file header does not name.
void require_features(std::uint32_t named, std::uint32_t needed);

// Adds the bytes of field f's section, including arriving particles, to sizes[f]. Throws as open_chunk.
void add_section_sizes(const ReadChunk &read, std::size_t size, std::vector<std::uint64_t> &sizes);

// ReadChunk for a chunk in memory.
ReadChunk read_from(const std::uint8_t *bytes);

}  // namespace gpz::format
