// SPDX-License-Identifier: BSD-3-Clause
// Reads the chunks that have one index in frames that follow each other (docs/format.md, section 8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/target.hpp"
#include "gpz/frame.hpp"
#include "gpz/trajectory/chunk_history.hpp"

namespace gpz::trajectory {

// Not usable after an exception, until a chunk that is decoded without others.
class ChunkReader {
 public:
  // Goes on to a chunk of any kind with these fields, whose bytes are in memory, aligned to 4 if it is one of
  // differences. Fields whose `wanted` entry is false are left out, if the chunk is no difference chunk; others have
  // the wanted fields of the chunk before. Throws corrupt, truncated, std::bad_alloc.
  void next(const format::OpenedChunk &chunk, std::uint64_t particles, const std::vector<Field> &fields,
            const std::vector<bool> &wanted, int threads);

  // Of the last chunk.
  std::uint64_t particles() const { return history_.particles(); }
  // Whether its particles and their values of an integer field are those of the chunk before, in the same order.
  bool is_unchanged(std::size_t field) const { return same_particles_ && empty_[field]; }
  // Writes a field that is followed. Throws limit_exceeded (see codec::store).
  void write(std::size_t field, const codec::Target &target) const;

 private:
  void next_differences(const format::OpenedChunk &chunk, std::uint64_t particles, int threads);
  format::Column<std::uint32_t> staying_without(const format::Column<std::uint32_t> &leaving) const;
  void follow_unchanged(std::size_t field, ChunkHistory::FieldStep step);
  void decode_section(ChunkHistory::Step &frame, std::size_t field, const std::uint8_t *bytes, std::size_t size,
                      int threads);

  ChunkHistory history_;
  // Of the last chunk: values that the history's indices do not give, and fields without a section.
  ChunkHistory::ExactValues exact_;
  bool same_particles_ = false;
  bool counts_crossings_ = false;  // of field 0, for those that follow it
  std::vector<bool> empty_;
  Indices indices_;  // of a section
};

}  // namespace gpz::trajectory
