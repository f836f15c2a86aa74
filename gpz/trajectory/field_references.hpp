// SPDX-License-Identifier: BSD-3-Clause
// Numbers of other fields that sections name (docs/format.md, section 10g).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpz::trajectory {

inline constexpr std::size_t field_reference_size = 2;  // bytes

// Where a section, if it has bytes, says 1 + the number of another field; 0 there: it names none. Throws corrupt.
std::vector<std::size_t> field_references(const std::uint8_t *section, std::size_t size);

}  // namespace gpz::trajectory
