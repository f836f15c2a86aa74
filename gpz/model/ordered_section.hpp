// SPDX-License-Identifier: BSD-3-Clause
// Grid indices of one chunk in the order of ids, predicted from earlier particles, from bonds and from the structure of
// molecules (docs/format.md, sections 10b and 10j; docs/decisions/0023).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/ordered_codec.hpp"
#include "gpz/model/bonds.hpp"

namespace gpz::model {

// Coding 5 has one stream of numbers. In coding 12 each segment has its own, so that segments are coded on several
// threads (docs/format.md, section 10j).
using OrderedStream = Bonds::Stream;

// Appends the section of q, a multiple of 8 bytes, for at least one particle. `positions` enables the search for bonds.
// Throws std::bad_alloc.
void encode_ordered_model(const codec::OrderedShape &shape, const codec::IndexColumns &q, bool positions,
                          OrderedStream stream, int threads, std::vector<std::uint8_t> &bytes);

// Inverse of encode_ordered_model, for a section of exactly `size` bytes, aligned to 4. Throws gpz::Error (corrupt),
// limit_exceeded, std::bad_alloc; q is unspecified then.
void decode_ordered_model(const codec::OrderedShape &shape, const std::uint8_t *bytes, std::size_t size,
                          OrderedStream stream, int threads, const codec::IndexOutput &q);

}  // namespace gpz::model
