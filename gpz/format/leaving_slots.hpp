// SPDX-License-Identifier: BSD-3-Clause
// The slots of the particles that leave, as a difference chunk lists them: ascending, Elias-Fano (docs/format.md,
// section 8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/format/budget.hpp"
#include "gpz/format/opened_chunk.hpp"

namespace gpz::format {

// Bytes of the list of `leaving` <= `before` slots among `before` < 2^32.
std::uint64_t leaving_slots_size(std::uint64_t before, std::uint64_t leaving);

void append_leaving_slots(std::uint64_t before, const std::vector<std::uint32_t> &leaving,
                          std::vector<std::uint8_t> &bytes);

// Reads the list of an opened difference chunk; `list` has its bytes, chunk.slots. Throws corrupt, limit_exceeded,
// std::bad_alloc (of no more than the bytes account for).
Column<std::uint32_t> read_leaving_slots(const OpenedChunk &chunk, const std::uint8_t *list);

}  // namespace gpz::format
