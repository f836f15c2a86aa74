// SPDX-License-Identifier: BSD-3-Clause
// Tables of a .gpz file in one line.
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

}  // namespace gpz::tool
