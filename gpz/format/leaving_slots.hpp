// SPDX-License-Identifier: BSD-3-Clause
// The list of leaving slots in a difference chunk: ascending, in Elias-Fano coding (docs/format.md, section 8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/format/budget.hpp"
#include "gpz/format/opened_chunk.hpp"

namespace gpz::format {

// Bytes of a list of `leaving` <= `before` slots out of `before` < 2^32.
std::uint64_t leaving_slots_size(std::uint64_t before, std::uint64_t leaving);

void append_leaving_slots(std::uint64_t before, const std::vector<std::uint32_t> &leaving,
                          std::vector<std::uint8_t> &bytes);

// Checks that a difference chunk of `particles` may follow a chunk of `before` particles, and reads its list from the
// bytes chunk.slots at `list`. Throws corrupt, limit_exceeded, std::bad_alloc. Memory is in proportion to the bytes.
Column<std::uint32_t> read_leaving_slots(const OpenedChunk &chunk, std::uint64_t before, std::uint64_t particles,
                                         const std::uint8_t *list);

// The slots below `slots` that are not among leaving[0] < leaving[1] < ... Throws std::bad_alloc.
template <typename Slots>
Column<std::uint32_t> staying_slots(const Slots &leaving, std::size_t slots) {
  Column<std::uint32_t> staying;
  staying.reserve(slots - leaving.size());
  auto next = leaving.begin();
  for (std::uint32_t slot = 0; slot < slots; ++slot)
    if (next != leaving.end() && *next == slot)
      ++next;
    else
      staying.push_back(slot);
  return staying;
}

}  // namespace gpz::format
