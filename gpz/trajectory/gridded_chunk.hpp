// SPDX-License-Identifier: BSD-3-Clause
// Chunks in which a section has all grid indices of a field, coded together: cell and sequence chunks (docs/format.md,
// sections 10e and 10f).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/codec/target.hpp"
#include "gpz/format/difference_chunk.hpp"
#include "gpz/frame.hpp"
#include "gpz/trajectory/indices.hpp"

namespace gpz::trajectory {

class GriddedChunk {
 public:
  // A chunk of kind cells or sequence. `bytes`, aligned to 4, and `fields` have to outlive this object. Throws corrupt,
  // truncated.
  GriddedChunk(ChunkKind kind, const std::uint8_t *bytes, std::size_t size, std::uint64_t particles,
               const std::vector<Field> &fields);

  // Decodes a field, by way of `indices`, whose memory may have been used before. Throws corrupt, limit_exceeded (see
  // cpu::store), std::bad_alloc.
  void write(std::size_t field, const cpu::Target &target, int threads, Indices &indices) const;

 private:
  format::FieldCoding read_coding(const std::uint8_t *bytes, std::size_t size) const;
  void decode_section(std::size_t field, const std::uint8_t *bytes, std::size_t size, const cpu::Target &target,
                      int threads, Indices &indices) const;

  ChunkKind kind_;
  const std::uint8_t *bytes_;
  const std::vector<Field> *fields_;
  std::size_t particles_;
  std::vector<format::Span> sections_;
};

}  // namespace gpz::trajectory
