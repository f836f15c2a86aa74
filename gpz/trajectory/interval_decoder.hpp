// SPDX-License-Identifier: BSD-3-Clause
// Decodes the frames of a key interval: a key frame, and the difference frames after it in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpz/codec/target.hpp"
#include "gpz/format/container_parse.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/trajectory/chunk_reader.hpp"
#include "gpz/trajectory/id_order.hpp"
#include "gpz/trajectory/independent_chunk.hpp"
#include "gpz/trajectory/selected_rows.hpp"

namespace gpz::trajectory {

// Which particles of a frame are written, and in which order.
struct Arrangement {
  std::size_t sorted_by = format::no_field;    // field of ids; no_field: stored order
  std::shared_ptr<const Selection> selection;  // nullptr: all particles
};

// Represents the last frame that was read. Keeps its memory, because reallocating costs more than filling.
class IntervalDecoder {
 public:
  // What follows a key frame. If no difference frame does, chunks are only opened, and decoded straight into the
  // caller's arrays, which is faster. If one follows nevertheless, they are decoded once more. `unknown`: the same as
  // after the key frame before.
  enum class Next : std::uint8_t { unknown, difference, nothing };

  IntervalDecoder() = default;
  IntervalDecoder(const IntervalDecoder &) = delete;
  IntervalDecoder &operator=(const IntervalDecoder &) = delete;

  // Whether this frame can be next: a key frame, or the successor of the last frame.
  bool can_follow(const format::FrameHead &head) const;
  // Begins a frame, whose chunks must follow in order. Throws corrupt if can_follow() is false. Until end(), this
  // object is at no frame. An empty `wanted` means all fields. `only`, of a key frame: the slots of selected particles
  // may be followed alone, until chunk() throws AllSlotsNeeded. nullptr: all are followed. The bytes of the chunks of a
  // key frame must stay until the next frame has begun, or forget().
  void begin(const format::FrameHead &head, const std::vector<bool> &wanted, int threads, Next next = Next::unknown,
             const std::shared_ptr<const Selection> &only = nullptr);
  // Decodes chunk k, whose checksum was verified, of the frame with these fields. It begins at `position`, for errors
  // of write(). Throws as ChunkReader::next.
  void chunk(std::size_t k, const format::OpenedChunk &chunk, std::uint64_t particles, const std::vector<Field> &fields,
             int threads, std::uint64_t position = 0);
  void end(const format::FrameHead &head);

  void forget();
  bool complete() const { return complete_; }
  // Whether all fields of this list (an empty list: all fields) are followed.
  bool follows(const std::vector<bool> &wanted) const;
  // Whether the particles of this selection (nullptr: all particles) are followed.
  bool serves(const std::shared_ptr<const Selection> &selection) const;
  // Call before particles of a selection that it serves are written. All are followed from now on if the key frame was
  // read for others.
  void serve(const std::shared_ptr<const Selection> &selection);
  const std::vector<bool> &wanted() const { return wanted_; }
  // The union of `wanted` and the followed fields.
  std::vector<bool> joined(std::vector<bool> wanted) const;

  std::uint64_t particles() const;
  // The rows of the particles that are written.
  struct Rows {
    Arrangement arrangement;
    const IdOrder *order = nullptr;          // nullptr: stored order
    const SelectedRows *selected = nullptr;  // nullptr: all particles
    std::size_t count = 0;
  };
  // Valid until the next call. Throws as write_all, and not_found (SelectedRows::choose).
  Rows arrange(const FrameInfo &info, const Arrangement &arrangement, int threads);
  // Writes each of these fields with a wanted target, which has room for all rows. Throws corrupt, limit_exceeded (see
  // codec::store), std::bad_alloc.
  void write_all(const std::vector<Field> &fields, const std::vector<codec::Target> &targets, const Rows &rows,
                 int threads);

 private:
  // An independent chunk that is not decoded into the history.
  struct Opened {
    format::OpenedChunk bytes;
    std::uint64_t particles;
    std::uint64_t position;
    std::optional<IndependentChunk> chunk;
  };

  // Only independent chunks may follow.
  void restart();
  // Decodes a key frame that was only opened.
  void start(int threads);
  // Writes a wanted field, in stored order unless the target has rows.
  void write(std::size_t field, const codec::Target &target, int threads);
  // Order of the ids in this integer field.
  const IdOrder &id_order(std::size_t field, int threads);
  // Chooses the rows of a selection. `order`: nullptr for stored order.
  const SelectedRows &select(const FrameInfo &info, const Arrangement &arrangement, const IdOrder *order, int threads);
  // Whether all chunks have the particles of the frame before, with the same values of this integer field.
  bool is_unchanged(std::size_t field) const;

  bool complete_ = false;
  std::uint16_t since_key_ = 0;
  std::uint64_t checksum_ = 0;  // of the last frame's head
  std::vector<bool> wanted_;
  std::size_t count_ = 0;  // of the chunks of a frame
  format::Column<ChunkReader> chunks_;
  bool stands_alone_ = false;      // no difference frame followed the last key frame
  bool is_opened_ = false;         // the frame's chunks are only opened
  format::Column<Opened> opened_;  // chunks of such a frame, and its fields
  std::vector<Field> fields_;
  Indices indices_;                        // of a field of opened chunks
  std::shared_ptr<const Selection> only_;  // of the key frame
  IdOrder order_;                          // order of the ids in field ordered_by_; invalid if that is no_field
  std::size_t ordered_by_ = format::no_field;
  SelectedRows selected_;
  // The arrangement in selected_ for the last frame; no selection if selected_ is empty.
  Arrangement selected_as_;
  std::vector<std::size_t> selected_by_;  // the fields that the selection looks at
};

}  // namespace gpz::trajectory
