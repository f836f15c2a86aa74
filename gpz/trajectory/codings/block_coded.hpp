// SPDX-License-Identifier: BSD-3-Clause
// Coding 2: a section that is a block chunk of one field (docs/format.md, sections 4 to 8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/codec/chunk_codec.hpp"
#include "gpz/codec/target.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {

// A block chunk, aligned to 4, whose bytes have to outlive the decoder; an empty `wanted` wants all fields. Throws
// corrupt, truncated, std::bad_alloc.
std::unique_ptr<cpu::Decoder> open_block_chunk(const std::uint8_t *bytes, const format::OpenedChunk &chunk,
                                               std::uint64_t particles, const std::vector<Field> &fields,
                                               const std::vector<bool> &wanted);

// Decodes the payload of such a section. Throws corrupt, truncated, limit_exceeded (see cpu::store), std::bad_alloc.
void decode_block_coded(const SectionContext &context, const Payload &payload, const cpu::Target &target);

}  // namespace gpz::trajectory
