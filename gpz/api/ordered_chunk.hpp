// Chunks whose particles stand in the order of their ids (docs/format.md, section 10; docs/decisions/0011).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/frame.hpp"

namespace gpz::api {

// Readers take no more particles than this for a chunk of `size` bytes: the memory for them is in proportion to the
// file.
inline bool may_be_ordered(std::uint64_t particles, std::size_t size) {
  return particles != 0 && particles / (std::uint64_t{8} * 1024) <= size;
}

// Encodes `particles` > 0 particles, of whose prepared fields number `identity` has the ids; rows as in ChunkEncoder.
// `encoder` codes what is not predicted. Throws std::bad_alloc, Error.
void encode_ordered_chunk(const std::vector<FieldInput> &fields, std::size_t identity, std::size_t particles,
                          const int *rows, const Box &box, ChunkEncoder &encoder, EncodedChunk &out);

// The inverse, as decode_chunk, for a chunk of kind ordered_chunk, aligned to 4. Columns may have grown when it throws.
void decode_ordered_chunk(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles, Frame &frame,
                          const std::vector<bool> &wanted, int threads);

}  // namespace gpz::api
