// SPDX-License-Identifier: BSD-3-Clause
// Frames whose chunks have been read, and whose values can be written to the caller's arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/target.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/frame.hpp"
#include "gpz/trajectory/id_order.hpp"
#include "gpz/trajectory/independent_chunk.hpp"

namespace gpz::trajectory {

class OpenFrame {
 public:
  virtual ~OpenFrame() = default;

  virtual std::uint64_t particles() const = 0;
  // Writes one of the fields that the frame was read for, in the order in which particles are stored, unless the target
  // says otherwise. Throws corrupt, limit_exceeded (see codec::store), std::bad_alloc.
  virtual void write(std::size_t field, const codec::Target &target, int threads) const = 0;
  // The order of the ids that this integer field has. Throws as write.
  virtual const IdOrder &id_order(std::size_t field, int threads) = 0;

  // Writes each of these fields with a wanted target, all particles by ascending ids of field `sorted_by`
  // (format::no_field: as they are stored). Throws as write.
  void write_all(const std::vector<Field> &fields, const std::vector<codec::Target> &targets, std::size_t sorted_by,
                 int threads);

 protected:
  OpenFrame() = default;
  OpenFrame(const OpenFrame &) = default;
  OpenFrame &operator=(const OpenFrame &) = default;
};

// Kept from one key frame to the next, because reallocating costs more than filling.
struct KeyFrameMemory {
  IdOrder order;
  Indices indices;  // of a field
};

// A frame that was read for itself: chunks that are decoded without others.
class KeyFrame final : public OpenFrame {
 public:
  // `fields` and `memory` have to outlive this object; an empty `wanted` wants all.
  KeyFrame(const std::vector<Field> &fields, const std::vector<bool> &wanted, KeyFrameMemory &memory)
      : fields_(&fields), wanted_(wanted), memory_(&memory) {}

  // The next chunk, whose bytes have to outlive this object, at `position` of the file. Throws as IndependentChunk,
  // errors with their position in the file.
  void add(const format::OpenedChunk &chunk, std::uint64_t particles, std::uint64_t position);

  std::uint64_t particles() const override { return particles_; }
  void write(std::size_t field, const codec::Target &target, int threads) const override;
  const IdOrder &id_order(std::size_t field, int threads) override;

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
