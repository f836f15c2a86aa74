// SPDX-License-Identifier: BSD-3-Clause
// The files of one dump that LAMMPS wrote with % in its name.
#pragma once

#include <string>
#include <vector>

namespace gpz::tool {

// The files whose names have a number, from 0 on, in the place of the %, in ascending order. A name without %, or of a
// file that exists with it, stands for itself. Throws Failure: io if there is none; usage if a number is missing.
std::vector<std::string> numbered_files(const std::string &name);

}  // namespace gpz::tool
