// SPDX-License-Identifier: BSD-3-Clause
// Chunks whose positions are stored as a set (docs/format.md, section 10e; docs/decisions/0026).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/codec/chunk_codec.hpp"
#include "gpz/frame.hpp"

namespace gpz::trajectory {

// Whether the leading field of these can be stored as a set: it has a grid.
bool may_be_cells(const std::vector<Field> &fields, std::uint64_t particles);

// Encodes `particles` > 0 particles with such prepared fields; rows and box as in TrajectoryEncoder. `encoder` codes
// the other fields. Leaves the checksum to the caller. Throws std::bad_alloc, Error.
void encode_cell_chunk(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows, const Box &box,
                       cpu::Encoder &encoder, EncodedChunk &out);

}  // namespace gpz::trajectory
