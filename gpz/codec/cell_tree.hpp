// SPDX-License-Identifier: BSD-3-Clause
// Codes grid positions as a set by recursive halving of their box (docs/format.md, section 10e).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"

namespace gpz::codec {

// Appends the set of n > 0 positions q[0..components), at most core::max_index in magnitude. order[i] becomes the index
// of the particle that is decoded as number i. Throws std::bad_alloc.
void encode_cells(const IndexColumns &q, std::size_t n, int components, std::vector<std::uint32_t> &order,
                  std::vector<std::uint8_t> &bytes);

// Decodes n > 0 particles from exactly the bytes that encode_cells() appended. Throws corrupt, std::bad_alloc.
void decode_cells(const std::uint8_t *bytes, std::size_t size, std::size_t n, int components, const IndexOutput &q);

}  // namespace gpz::codec
