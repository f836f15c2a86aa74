// SPDX-License-Identifier: BSD-3-Clause
// Chunks whose particles stay in the order of memory (docs/format.md, section 10f; docs/decisions/0035).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/codec/chunk_codec.hpp"
#include "gpz/frame.hpp"

namespace gpz::trajectory {

// Whether a sequence of these is worth a try: the leading field has a grid.
bool may_be_sequence(const std::vector<Field> &fields, std::uint64_t particles);

// Encodes `particles` > 0 particles with such prepared fields; rows as in TrajectoryEncoder. `encoder` codes fields
// that have no grid. Leaves the checksum to the caller. Throws std::bad_alloc, Error.
void encode_sequence_chunk(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows,
                           cpu::Encoder &encoder, EncodedChunk &out);

}  // namespace gpz::trajectory
