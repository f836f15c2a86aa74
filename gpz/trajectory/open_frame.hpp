// SPDX-License-Identifier: BSD-3-Clause
// Frames whose chunks have been read, ready to write their values to the caller's arrays.
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
  // Writes a wanted field, in stored order unless the target has rows. Throws corrupt, limit_exceeded (see
  // codec::store), std::bad_alloc.
  virtual void write(std::size_t field, const codec::Target &target, int threads) const = 0;
  // Order of the ids in this integer field. Throws as write.
  virtual const IdOrder &id_order(std::size_t field, int threads) = 0;

  // Writes each of these fields with a wanted target. Particles are sorted by the ids of field `sorted_by`, or in
  // stored order if that is format::no_field. Throws as write.
  void write_all(const std::vector<Field> &fields, const std::vector<codec::Target> &targets, std::size_t sorted_by,
                 int threads);

 protected:
  OpenFrame() = default;
  OpenFrame(const OpenFrame &) = default;
  OpenFrame &operator=(const OpenFrame &) = default;
};

// Kept between key frames, because reallocating costs more than filling.
struct KeyFrameMemory {
  IdOrder order;
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
