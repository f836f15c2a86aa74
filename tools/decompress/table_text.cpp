// SPDX-License-Identifier: BSD-3-Clause
#include "table_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gpz/printable.hpp"

namespace gpz::tool {

void add_table(const TableHead &head, std::vector<TablesOfName> &tables) {
  const auto same = std::find_if(tables.begin(), tables.end(),
                                 [&](const TablesOfName &other) { return other.first.name == head.name; });
  if (same == tables.end()) {
    tables.push_back({head, 1, head.rows, head.rows});
    return;
  }
  ++same->count;
  same->fewest_rows = std::min(same->fewest_rows, head.rows);
  same->most_rows = std::max(same->most_rows, head.rows);
}

void add_table(const Table &table, std::vector<TablesOfName> &tables) {
  TableHead head{table.name, table.rows(), {}};
  for (const TableColumn &column : table.columns) head.columns.push_back(column.name);
  add_table(head, tables);
}

std::string tables_text(const std::vector<TablesOfName> &tables) {
  // Their columns are always the same.
  static const std::set<std::string> topology = {"bonds", "angles", "dihedrals", "impropers"};
  std::string text;
  for (const TablesOfName &table : tables) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", table.first.name, table.fewest_rows);
    if (table.most_rows != table.fewest_rows) text += fmt::format(" to {}", table.most_rows);
    std::string more;
    if (topology.count(table.first.name) == 0) more = fmt::format("{}", fmt::join(table.first.columns, " "));
    if (table.count > 1) more += fmt::format("{}{} tables", more.empty() ? "" : "; ", table.count);
    if (!more.empty()) text += fmt::format(" ({})", more);
  }
  return printable(text);
}

const std::vector<std::string> *texts_of(const Table &table, const char *name) {
  const TableColumn *const column = table.column(name);
  return column == nullptr ? nullptr : std::get_if<std::vector<std::string>>(&column->values);
}

}  // namespace gpz::tool
