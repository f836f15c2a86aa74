// SPDX-License-Identifier: BSD-3-Clause
// The middle one of some values.
#pragma once

#include <cstdint>

namespace gpz::cpu {

// The value at place n / 2 of the n values in ascending order, n > 0. Reorders the values. Compiled once for all
// instruction sets: function templates of the standard library have no place in a unit with one of its own, as the
// linker keeps one copy of theirs for the whole program.
std::int64_t median(std::int64_t *values, std::uint32_t n);

}  // namespace gpz::cpu
