// SPDX-License-Identifier: BSD-3-Clause
// Tables of a .gpz file in one line, and their texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpz/tables.hpp"

namespace gpz::tool {

// The tables of one name in a file.
struct TablesOfName {
  TableHead first;
  std::uint64_t count = 0;
  std::uint64_t fewest_rows = 0;
  std::uint64_t most_rows = 0;
};
// Adds a table to those of its name.
void add_table(const TableHead &head, std::vector<TablesOfName> &tables);
void add_table(const Table &table, std::vector<TablesOfName> &tables);

// "atoms 32000 (id type mol q), bonds 27719 to 27723 (18 tables)", printable().
std::string tables_text(const std::vector<TablesOfName> &tables);

// The values of a column of texts; nullptr if there is none.
const std::vector<std::string> *texts_of(const Table &table, const char *name);

}  // namespace gpz::tool
