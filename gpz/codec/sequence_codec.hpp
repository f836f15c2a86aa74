// SPDX-License-Identifier: BSD-3-Clause
// Codes columns of grid indices in memory order (docs/format.md, section 10f; docs/decisions/0035).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"

namespace gpz::codec {

// Appends the section of n > 0 particles with 1 to 3 components to `bytes` (a multiple of 8 bytes). Returns false and
// appends nothing if two successive particles are too far apart. Throws std::bad_alloc.
bool encode_sequence(const IndexColumns &q, std::size_t n, int components, std::vector<std::uint8_t> &bytes,
                     int threads = 1);

// The inverse, for a section of exactly `size` bytes, aligned to 4. Leaves q as it is in blocks that are not wanted.
// Throws corrupt and leaves q unspecified then. Allocates no memory that depends on the bytes.
void decode_sequence(const std::uint8_t *bytes, std::size_t size, std::size_t n, int components, const IndexOutput &q,
                     int threads = 1, const WantedBlocks &wanted = {});

}  // namespace gpz::codec
