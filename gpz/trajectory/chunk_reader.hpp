// SPDX-License-Identifier: BSD-3-Clause
// Reads the chunks with the same index in successive frames (docs/format.md, section 8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/target.hpp"
#include "gpz/frame.hpp"
#include "gpz/trajectory/chunk_history.hpp"
#include "gpz/trajectory/selected_rows.hpp"

namespace gpz::trajectory {

// After an exception, unusable until the next independent chunk.
class ChunkReader {
 public:
  // Decodes the next chunk, of any kind. `fields` describe it. Its bytes are in memory, aligned to 4 for difference
  // chunks. Independent chunks decode the fields in `wanted`; difference chunks keep those of the previous chunk.
  // Throws corrupt, truncated, std::bad_alloc.
  // `only`: if it is not null, an independent chunk may be followed in the blocks of selected particles alone. Later
  // chunks then throw AllSlotsNeeded where that does not suffice.
  void next(const format::OpenedChunk &chunk, std::uint64_t particles, const std::vector<Field> &fields,
            const std::vector<bool> &wanted, int threads, const Selection *only = nullptr);

  // Only an independent chunk may follow. Keeps memory for it.
  void restart();

  // Whether not all particles need to be followed.
  bool is_limited() const { return history_.is_limited(); }
  // Whether all are followed nevertheless.
  bool has_all_slots() const { return history_.has_all_slots(); }
  // All are followed from now on. Throws AllSlotsNeeded if they were not so far.
  void follow_all_slots() { history_.follow_all_slots(); }
  // Number of particles of the last chunk.
  std::uint64_t particles() const { return history_.particles(); }
  // For decoding a key frame without starting the history.
  lanes::State &key_steps(std::size_t field) { return history_.key_steps(field); }
  // Whether the last chunk has the particles of the previous one, in the same order and with the same values of this
  // integer field.
  bool is_unchanged(std::size_t field) const { return same_particles_ && empty_[field]; }
  // Writes a followed field. Throws limit_exceeded (see codec::store). A partial target of a limited chunk has rows for
  // selected particles only.
  void write(std::size_t field, const codec::Target &target, int threads = 1) const;

 private:
  void next_differences(const format::OpenedChunk &chunk, std::uint64_t particles, int threads);
  // A target with rows for the slots in the blocks of selected particles; a full one if all slots have to be followed.
  codec::Target slots_of(const Selection &selection, const IndependentChunk &chunk, int threads);
  // Whether the slots of the selected particles are certain to be those of the frame before.
  bool has_same_slots(const format::OpenedChunk &chunk) const;
  void follow_unchanged(std::size_t field, ChunkHistory::FieldStep step);
  void decode_section(ChunkHistory::Step &frame, std::size_t field, const std::uint8_t *bytes, std::size_t size,
                      int threads);

  ChunkHistory history_;
  // Values of the last chunk that indices cannot represent, and fields without a section.
  ChunkHistory::ExactValues exact_;
  bool same_particles_ = false;
  bool counts_crossings_ = false;  // another field counts crossings of field 0
  std::vector<bool> empty_;
  Indices indices_;  // of a section
  // The selection in the last independent chunk: see slots_of().
  SelectedRows selected_;
  format::Column<std::uint32_t> slots_;
  std::vector<std::size_t> selected_by_;  // fields that the selection looks at
};

}  // namespace gpz::trajectory
