// SPDX-License-Identifier: BSD-3-Clause
// The tables of docs/matrix.md, for tests that compare them with the code. Environment variable GPZ_MATRIX_PAGE: the
// page, for a program that runs on another machine than the one that built it.
#pragma once

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace gpz::test {

using TableRow = std::vector<std::string>;

// The first table behind the heading "## `heading`": its header, then its rows, without backticks.
inline std::vector<TableRow> matrix_table(const std::string &heading) {
  const char *const given = std::getenv("GPZ_MATRIX_PAGE");
  std::ifstream page(given != nullptr ? given : GPZ_MATRIX_PAGE);
  std::vector<TableRow> table;
  bool found = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "## " + heading) found = true;
    if (!found) continue;
    if (line.rfind('|', 0) != 0) {
      if (!table.empty()) break;
      continue;
    }
    if (line.rfind("|--", 0) == 0) continue;
    TableRow row;
    std::string cell;
    for (const char c : line.substr(1)) {
      if (c == '|') {
        const auto first = cell.find_first_not_of(' ');
        row.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
        cell.clear();
      } else if (c != '`') {
        cell += c;
      }
    }
    table.push_back(row);
  }
  if (table.empty()) throw std::runtime_error("docs/matrix.md has no table under the heading " + heading);
  return table;
}

// The cells of the row whose first cell is `name`, without that one.
inline TableRow matrix_row(const std::string &heading, const std::string &name) {
  for (const TableRow &row : matrix_table(heading))
    if (!row.empty() && row[0] == name) return {row.begin() + 1, row.end()};
  throw std::runtime_error("docs/matrix.md has no row " + name + " under the heading " + heading);
}

}  // namespace gpz::test
