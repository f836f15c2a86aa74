// SPDX-License-Identifier: BSD-3-Clause
// Tables of a .gpz file in one line.
#pragma once

#include <string>
#include <vector>

#include "gpz/tables.hpp"

namespace gpz::tool {

// "atoms 32000 (id type mol q), bonds 27723", printable().
std::string tables_text(const std::vector<Table> &tables);

}  // namespace gpz::tool
