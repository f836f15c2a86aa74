// SPDX-License-Identifier: BSD-3-Clause
// Chunks whose particles stand in the order of their ids (docs/format.md, section 10; docs/decisions/0011).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/codec/chunk_codec.hpp"
#include "gpz/codec/target.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/difference_chunk.hpp"
#include "gpz/frame.hpp"
#include "gpz/model/bonds.hpp"
#include "gpz/trajectory/indices.hpp"

namespace gpz::trajectory {

using format::plausible_particle_count;

// Encodes `particles` > 0 particles, of whose prepared fields number `identity` has the ids; rows as in ChunkEncoder.
// `encoder` codes what is not predicted. `modelled`: sections of coding 5 may be used. Leaves the checksum to the
// caller. Throws std::bad_alloc, Error.
void encode_ordered_chunk(const std::vector<FieldInput> &fields, std::size_t identity, std::size_t particles,
                          const int *rows, const Box &box, bool modelled, cpu::Encoder &encoder, EncodedChunk &out);

// Such a chunk, opened: its ids are decoded, which all other fields need.
class OrderedChunk {
 public:
  // `bytes`, aligned to 4, and `fields` have to outlive this object. Throws corrupt, truncated, std::bad_alloc.
  OrderedChunk(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles, const std::vector<Field> &fields);

  // Decodes a field, by way of `indices`, whose memory may have been used before. Throws corrupt, limit_exceeded (see
  // cpu::store), std::bad_alloc.
  void write(std::size_t field, const cpu::Target &target, int threads, Indices &indices) const;
  // The bonds that its section found; empty if it has none. Throws as write.
  model::Bonds bonds(std::size_t field) const;

 private:
  void read_head(std::size_t size);
  void decode_ids();
  void decode_section(std::size_t field, const std::uint8_t *bytes, std::size_t size, const cpu::Target &target,
                      int threads, Indices &indices) const;

  const std::uint8_t *bytes_;
  const std::vector<Field> *fields_;
  std::size_t particles_;
  std::size_t identity_ = 0;
  std::vector<format::Span> sections_;
  format::Column<std::int64_t> ids_;  // empty while they are decoded themselves
};

}  // namespace gpz::trajectory
