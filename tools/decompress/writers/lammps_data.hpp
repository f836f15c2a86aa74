// SPDX-License-Identifier: BSD-3-Clause
// A frame as a LAMMPS data file, with the tables of its .gpz file (docs/format.md, section 11a).
#pragma once

#include <string>
#include <vector>

#include "gpz/container.hpp"
#include "gpz/frame.hpp"
#include "gpz/tables.hpp"
#include "output_file.hpp"

namespace gpz::tool {

// Writes a file that `read_data` reads, with every digit: atoms, velocities if the frame has all components, masses and
// topology if there are tables. Bonds and the like whose atoms are not all in the frame are left out. Returns what is
// missing for a run, as notes for the user. Throws Failure: usage, naming `input`, if the frame lacks positions, ids or
// a box, or has one of a kind that data files lack.
std::vector<std::string> write_lammps_data(OutputFile &out, Frame frame, const std::vector<Table> &tables,
                                           const Metadata &metadata, const std::string &input);

}  // namespace gpz::tool
