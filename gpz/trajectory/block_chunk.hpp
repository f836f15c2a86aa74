// SPDX-License-Identifier: BSD-3-Clause
// Chunks in blocks (docs/format.md, sections 4 to 7), whole or with one field inside another chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/codec/chunk_codec.hpp"
#include "gpz/codec/target.hpp"
#include "gpz/frame.hpp"
#include "gpz/trajectory/rows.hpp"

namespace gpz::trajectory {

// A chunk of ChunkKind::block, aligned to 4, whose bytes have to outlive the decoder; an empty `wanted` wants all
// fields. Throws corrupt, truncated, std::bad_alloc.
std::unique_ptr<cpu::Decoder> open_block_chunk(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles,
                                               const std::vector<Field> &fields, const std::vector<bool> &wanted);

// Decodes one field of `particles` particles that is such a chunk of its own. Throws corrupt, truncated,
// limit_exceeded (see cpu::store), std::bad_alloc.
void decode_block_coded(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles, const Field &field,
                        const cpu::Target &target, int threads);
// Appends such a chunk of these rows of a prepared field. Returns the largest error of its values. Throws
// std::bad_alloc.
double append_block_coded(const FieldInput &input, const Rows &rows, cpu::Encoder &encoder,
                          std::vector<std::uint8_t> &bytes);

}  // namespace gpz::trajectory
