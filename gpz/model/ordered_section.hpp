// SPDX-License-Identifier: BSD-3-Clause
// Columns of grid indices of one chunk in the order of ids, predicted from the particles before, from bonds and from
// how molecules are built (docs/format.md, section 10, coding 5; docs/decisions/0023).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/ordered_codec.hpp"
#include "gpz/model/bonds.hpp"

namespace gpz::model {

// Appends the section of q, for one particle at least (a multiple of 8 bytes). `positions`: bonds are looked for.
// Throws std::bad_alloc.
void encode_ordered_model(const cpu::OrderedShape &shape, const cpu::IndexColumns &q, bool positions,
                          std::vector<std::uint8_t> &bytes);

// The inverse, for a section of exactly `size` bytes, aligned to 4. Throws gpz::Error (corrupt), limit_exceeded,
// std::bad_alloc; q is unspecified then.
void decode_ordered_model(const cpu::OrderedShape &shape, const std::uint8_t *bytes, std::size_t size,
                          const cpu::IndexOutput &q);

// The bonds that such a section has; empty if it has none. Throws as decode_ordered_model.
Bonds bonds_of_ordered_model(const cpu::OrderedShape &shape, const std::uint8_t *bytes, std::size_t size);

}  // namespace gpz::model
