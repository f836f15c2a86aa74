// SPDX-License-Identifier: BSD-3-Clause
// Median of integers, outside the units of the instruction sets.
#pragma once

#include <cstdint>

namespace gpz::codec {

// The value with index n / 2 in ascending order, n > 0. Reorders the values. Compiled once for all instruction sets:
// the linker keeps one copy of each standard-library template for the whole program, so such templates must not be used
// in a unit compiled for a special instruction set.
std::int64_t median(std::int64_t *values, std::uint32_t n);

}  // namespace gpz::codec
