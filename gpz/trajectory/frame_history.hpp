// SPDX-License-Identifier: BSD-3-Clause
// Decodes a key frame and the difference frames after it, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/format/container_parse.hpp"
#include "gpz/trajectory/chunk_reader.hpp"
#include "gpz/trajectory/open_frame.hpp"

namespace gpz::trajectory {

// As an OpenFrame it represents the last frame that was read.
class FrameHistory final : public OpenFrame {
 public:
  // Whether this frame can be next: a key frame, or the successor of the last frame.
  bool can_follow(const format::FrameHead &head) const;
  // Begins a frame, whose chunks must follow in order. Throws corrupt if can_follow() is false. Until end(), the
  // history is at no frame. An empty `wanted` means all fields. `only`, of a key frame: the history may follow the
  // slots of selected particles alone, until chunk() throws AllSlotsNeeded. nullptr: it follows all.
  void begin(const format::FrameHead &head, const std::vector<bool> &wanted,
             const std::shared_ptr<const Selection> &only = nullptr);
  // Decodes chunk k, whose checksum was verified, of the frame with these fields. Throws as ChunkReader::next.
  void chunk(std::size_t k, const format::OpenedChunk &chunk, std::uint64_t particles, const std::vector<Field> &fields,
             int threads);
  void end(const format::FrameHead &head);

  void forget() { complete_ = false; }
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

  std::uint64_t particles() const override;
  void write(std::size_t field, const codec::Target &target, int threads) const override;
  const IdOrder &id_order(std::size_t field, int threads) override;

 protected:
  const SelectedRows &select(const FrameInfo &info, const Arrangement &arrangement, const IdOrder *order,
                             int threads) override;

 private:
  // Whether all chunks have the particles of the frame before, with the same values of this integer field.
  bool is_unchanged(std::size_t field) const;

  bool complete_ = false;
  std::uint16_t since_key_ = 0;
  std::uint64_t checksum_ = 0;  // of the last frame's head
  std::vector<bool> wanted_;
  std::vector<ChunkReader> chunks_;
  std::shared_ptr<const Selection> only_;  // of the key frame
  IdOrder order_;                          // order of the ids in field ordered_by_; invalid if that is no_field
  std::size_t ordered_by_ = format::no_field;
  SelectedRows selected_;
  // What selected_ holds for the last frame; no selection if it holds nothing.
  Arrangement selected_as_;
  std::vector<std::size_t> selected_by_;  // the fields that the selection looks at
};

}  // namespace gpz::trajectory
