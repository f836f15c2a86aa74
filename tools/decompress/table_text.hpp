// SPDX-License-Identifier: BSD-3-Clause
// Tables of a .gpz file in one line, and their texts.
#pragma once

#include <string>
#include <vector>

#include "gpz/tables.hpp"

namespace gpz::tool {

// "atoms 32000 (id type mol q), bonds 27723", printable().
std::string tables_text(const std::vector<Table> &tables);

// The values of a column of texts; nullptr if there is none.
const std::vector<std::string> *texts_of(const Table &table, const char *name);

}  // namespace gpz::tool
