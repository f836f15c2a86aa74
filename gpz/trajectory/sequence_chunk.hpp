// SPDX-License-Identifier: BSD-3-Clause
// Chunks whose particles stay in the order of memory (docs/format.md, section 10f; docs/decisions/0035).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/cpu/chunk_codec.hpp"
#include "gpz/cpu/target.hpp"
#include "gpz/format/difference_chunk.hpp"
#include "gpz/frame.hpp"
#include "gpz/trajectory/indices.hpp"

namespace gpz::trajectory {

// Whether a sequence of these is worth a try: the leading field has a grid.
bool may_be_sequence(const std::vector<Field> &fields, std::uint64_t particles);

// Encodes `particles` > 0 particles with such prepared fields; rows as in TrajectoryEncoder. `encoder` codes fields
// that have no grid. Leaves the checksum to the caller. Throws std::bad_alloc, Error.
void encode_sequence_chunk(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows,
                           cpu::Encoder &encoder, EncodedChunk &out);

// Such a chunk, opened.
class SequenceChunk {
 public:
  // `bytes`, aligned to 4, and `fields` have to outlive this object. Throws corrupt, truncated.
  SequenceChunk(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles, const std::vector<Field> &fields);

  // Decodes a field, by way of `indices`, whose memory may have been used before. Throws corrupt, limit_exceeded (see
  // cpu::store), std::bad_alloc.
  void write(std::size_t field, const cpu::Target &target, int threads, Indices &indices) const;

 private:
  void decode_section(std::size_t field, const std::uint8_t *bytes, std::size_t size, const cpu::Target &target,
                      int threads, Indices &indices) const;

  const std::uint8_t *bytes_;
  const std::vector<Field> *fields_;
  std::size_t particles_;
  std::vector<format::Span> sections_;
};

}  // namespace gpz::trajectory
