// SPDX-License-Identifier: BSD-3-Clause
// Coding 12: grid indices of one chunk in the order of ids, predicted from earlier particles, in segments of numbers
// that are coded on several threads (docs/format.md, section 10j; docs/decisions/0076).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/ordered_codec.hpp"

namespace gpz::model {

// Appends the section of q, a multiple of 8 bytes, for at least one particle. Throws std::bad_alloc.
void encode_ordered_segments(const codec::OrderedShape &shape, const codec::IndexColumns &q, int threads,
                             std::vector<std::uint8_t> &bytes);

// Inverse of encode_ordered_segments, for a section of exactly `size` bytes, aligned to 4. Throws gpz::Error (corrupt;
// unsupported_version: a section with bonds), std::bad_alloc; q is unspecified then.
void decode_ordered_segments(const codec::OrderedShape &shape, const std::uint8_t *bytes, std::size_t size, int threads,
                             const codec::IndexOutput &q);

}  // namespace gpz::model
