// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace gpz::molfile {

// The atomic number of a chemical symbol in any case ("Ar", "AR"); 0 if there is no such element.
int atomic_number(const std::string &symbol);

}  // namespace gpz::molfile
