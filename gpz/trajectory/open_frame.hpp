// SPDX-License-Identifier: BSD-3-Clause
// Frames whose chunks have been read, ready to write their values to the caller's arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/codec/target.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/frame.hpp"
#include "gpz/trajectory/id_order.hpp"
#include "gpz/trajectory/independent_chunk.hpp"
#include "gpz/trajectory/selected_rows.hpp"

namespace gpz::trajectory {

// Which particles of a frame are written, and in which order.
struct Arrangement {
  std::size_t sorted_by = format::no_field;    // field of ids; no_field: stored order
  std::shared_ptr<const Selection> selection;  // nullptr: all particles
};

class OpenFrame {
 public:
  virtual ~OpenFrame() = default;

  virtual std::uint64_t particles() const = 0;
  // Writes a wanted field, in stored order unless the target has rows. Throws corrupt, limit_exceeded (see
  // codec::store), std::bad_alloc.
  virtual void write(std::size_t field, const codec::Target &target, int threads) const = 0;
  // Order of the ids in this integer field. Throws as write.
  virtual const IdOrder &id_order(std::size_t field, int threads) = 0;

  // The rows of the particles that are written.
  struct Rows {
    Arrangement arrangement;
    const IdOrder *order = nullptr;          // nullptr: stored order
    const SelectedRows *selected = nullptr;  // nullptr: all particles
    std::size_t count = 0;
  };
  // Valid until the next call. Throws as write, and not_found (SelectedRows::choose).
  Rows arrange(const FrameInfo &info, const Arrangement &arrangement, int threads);
  // Writes each of these fields with a wanted target, which has room for all rows. Throws as write.
  void write_all(const std::vector<Field> &fields, const std::vector<codec::Target> &targets, const Rows &rows,
                 int threads) const;

 protected:
  // Chooses the rows of a selection. `order`: nullptr for stored order. Throws as arrange.
  virtual const SelectedRows &select(const FrameInfo &info, const Arrangement &arrangement, const IdOrder *order,
                                     int threads) = 0;

  OpenFrame() = default;
  OpenFrame(const OpenFrame &) = default;
  OpenFrame &operator=(const OpenFrame &) = default;
};

// Kept between key frames, because reallocating costs more than filling.
struct KeyFrameMemory {
  IdOrder order;
  SelectedRows selected;
  Indices indices;  // of a field
};

// A key frame: its chunks are decoded without other frames.
class KeyFrame final : public OpenFrame {
 public:
  // `fields` and `memory` must outlive this object; an empty `wanted` means all fields.
  KeyFrame(const std::vector<Field> &fields, const std::vector<bool> &wanted, KeyFrameMemory &memory)
      : fields_(&fields), wanted_(wanted), memory_(&memory) {}

  // Adds the next chunk, at `position` of the file. Its bytes must outlive this object. Throws as IndependentChunk,
  // with positions in the file.
  void add(const format::OpenedChunk &chunk, std::uint64_t particles, std::uint64_t position);

  std::uint64_t particles() const override { return particles_; }
  void write(std::size_t field, const codec::Target &target, int threads) const override;
  const IdOrder &id_order(std::size_t field, int threads) override;

 protected:
  const SelectedRows &select(const FrameInfo &info, const Arrangement &arrangement, const IdOrder *order,
                             int threads) override;

 private:
  struct Chunk {
    IndependentChunk chunk;
    std::uint64_t position;
  };

  const std::vector<Field> *fields_;
  std::vector<bool> wanted_;
  std::vector<Chunk> chunks_;
  std::uint64_t particles_ = 0;
  KeyFrameMemory *memory_;
};

}  // namespace gpz::trajectory
