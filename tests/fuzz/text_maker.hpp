// SPDX-License-Identifier: BSD-3-Clause
// Makes and changes the texts that gpz encode reads, so that the changes reach the code behind counts, heads and
// quotes.
#pragma once

#include <cstddef>
#include <string>

#include "mutator.hpp"

namespace gpz::fuzz {

enum class TextKind { lammps_dump, xyz, extended_xyz, lammps_data, lammps_log };
inline constexpr std::size_t text_kinds = 5;

// A text that is of this kind, or nearly.
std::string make_text(TextKind kind, Random &random);

// Changes lines, words or characters.
void change_text(TextKind kind, std::string &text, Random &random);

}  // namespace gpz::fuzz
