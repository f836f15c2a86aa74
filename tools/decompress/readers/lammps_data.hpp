// SPDX-License-Identifier: BSD-3-Clause
// The contents of a LAMMPS data file: masses, charges and topology, as tables of a .gpz file (docs/format.md, section
// 11a).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpz/tables.hpp"

namespace gpz::tool {

// The tables types, atoms, bonds, angles, dihedrals and impropers, those that the file has. Atoms ascend by id; bonds
// and the like by their atoms. `atom_style` is needed only if the line `Atoms` does not name it. `units` (empty: those
// that the first line names, if any) give the units of masses and charges. Throws Failure: usage, corrupt or truncated
// with the line, io.
std::vector<Table> read_lammps_data(const std::string &path, const std::string &atom_style, const std::string &units);

// A data file of another system is refused by its atoms: throws Failure (different) for an id of the first frame that
// the table of atoms lacks. Without such a table nothing is checked.
void require_ids(const std::string &path, const std::vector<Table> &tables, const std::vector<std::int64_t> &ids);

}  // namespace gpz::tool
