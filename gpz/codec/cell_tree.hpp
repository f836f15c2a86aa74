// SPDX-License-Identifier: BSD-3-Clause
// Positions on the grid as a set, by halving their box (docs/format.md, section 10e).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"

namespace gpz::cpu {

// Appends the set of n > 0 places q[0..components), at most core::max_index in magnitude. order[i] becomes the particle
// that is decoded as number i. Throws std::bad_alloc.
void encode_cells(const IndexColumns &q, std::size_t n, int components, std::vector<std::uint32_t> &order,
                  std::vector<std::uint8_t> &bytes);

// Reads what encode_cells appended, all of it, for n > 0 particles. Throws corrupt, std::bad_alloc.
void decode_cells(const std::uint8_t *bytes, std::size_t size, std::size_t n, int components, const IndexOutput &q);

}  // namespace gpz::cpu
