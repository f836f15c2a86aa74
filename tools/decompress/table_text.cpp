// SPDX-License-Identifier: BSD-3-Clause
#include "table_text.hpp"

#include <fmt/format.h>

#include <set>

#include "gpz/printable.hpp"

namespace gpz::tool {

std::string tables_text(const std::vector<Table> &tables) {
  // Their columns are always the same.
  static const std::set<std::string> topology = {"bonds", "angles", "dihedrals", "impropers"};
  std::string text;
  for (const Table &table : tables) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", table.name, table.rows());
    if (topology.count(table.name) != 0) continue;
    std::string columns;
    for (const TableColumn &column : table.columns) columns += (columns.empty() ? "" : " ") + column.name;
    if (!columns.empty()) text += fmt::format(" ({})", columns);
  }
  return printable(text);
}

const std::vector<std::string> *texts_of(const Table &table, const char *name) {
  const TableColumn *const column = table.column(name);
  return column == nullptr ? nullptr : std::get_if<std::vector<std::string>>(&column->values);
}

}  // namespace gpz::tool
