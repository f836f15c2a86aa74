// SPDX-License-Identifier: BSD-3-Clause
// Which required features the bytes of a chunk need (docs/format.md, section 13).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/format/read_chunk.hpp"

namespace gpz::trajectory {

// Bits of gpz::feature that a reader of this chunk has to know. A broken chunk needs none: decoders report it. Throws
// what `read` throws.
std::uint32_t chunk_features(const format::ReadChunk &read, std::size_t size, std::size_t fields);
std::uint32_t chunk_features(const std::uint8_t *bytes, std::size_t size, std::size_t fields);

// Throws corrupt if the chunk needs a feature that its file does not name among its `features`.
void require_features(std::uint32_t features, const format::ReadChunk &read, std::size_t size, std::size_t fields);
void require_features(std::uint32_t features, const std::uint8_t *bytes, std::size_t size, std::size_t fields);

}  // namespace gpz::trajectory
