// SPDX-License-Identifier: BSD-3-Clause
#include "tables.hpp"

#include <algorithm>
#include <unordered_map>

namespace gpz::molfile {

bool Tables::find(const char *table, const char *column, gpz_table_type type, gpz_table_column &found) const {
  found = gpz_new_table_column();
  return tables_ && gpz_tables_find(tables_.get(), table, column, &found) == GPZ_OK && found.type == type;
}

std::vector<std::size_t> Tables::rows() const {
  gpz_table_column ids;
  if (!find("atoms", "id", GPZ_TABLE_INTEGER, ids)) return {};
  std::unordered_map<std::int64_t, std::size_t> row_of;
  for (std::size_t row = 0; row < ids.rows; ++row) row_of.emplace(ids.integers[row], row);
  std::vector<std::size_t> rows;
  for (const std::int64_t id : *ids_) {
    const auto row = row_of.find(id);
    if (row == row_of.end()) return {};
    rows.push_back(row->second);
  }
  return rows;
}

std::vector<std::int64_t> Tables::integers(const char *column) const {
  gpz_table_column found;
  std::vector<std::int64_t> values;
  if (find("atoms", column, GPZ_TABLE_INTEGER, found))
    for (const std::size_t row : rows()) values.push_back(found.integers[row]);
  return values;
}

std::vector<double> Tables::floats(const char *column) const {
  gpz_table_column found;
  std::vector<double> values;
  if (find("atoms", column, GPZ_TABLE_FLOAT64, found))
    for (const std::size_t row : rows()) values.push_back(found.floats[row]);
  return values;
}

std::vector<std::string> Tables::texts(const char *column) const {
  gpz_table_column found;
  std::vector<std::string> values;
  if (find("atoms", column, GPZ_TABLE_TEXT, found))
    for (const std::size_t row : rows()) values.emplace_back(found.texts[row]);
  return values;
}

std::vector<double> Tables::masses(const std::vector<std::int64_t> &types) const {
  gpz_table_column type;
  gpz_table_column mass;
  if (!find("types", "type", GPZ_TABLE_INTEGER, type) || !find("types", "mass", GPZ_TABLE_FLOAT64, mass)) return {};
  std::unordered_map<std::int64_t, double> mass_of;
  for (std::size_t row = 0; row < type.rows; ++row) mass_of.emplace(type.integers[row], mass.floats[row]);
  std::vector<double> masses;
  for (const std::int64_t of : types) {
    const auto found = mass_of.find(of);
    if (found == mass_of.end()) return {};
    masses.push_back(found->second);
  }
  return masses;
}

Bonds Tables::bonds() const {
  gpz_table_column first;
  gpz_table_column second;
  Bonds bonds;
  if (!find("bonds", "atom1", GPZ_TABLE_INTEGER, first) || !find("bonds", "atom2", GPZ_TABLE_INTEGER, second))
    return bonds;
  const auto place = [&](std::int64_t id) {
    const auto at = std::lower_bound(ids_->begin(), ids_->end(), id);
    return at == ids_->end() || *at != id ? 0 : static_cast<int>(at - ids_->begin()) + 1;
  };
  for (std::size_t row = 0; row < first.rows; ++row) {
    const int from = place(first.integers[row]);
    const int to = place(second.integers[row]);
    if (from == 0 || to == 0) continue;
    bonds.from.push_back(from);
    bonds.to.push_back(to);
  }
  return bonds;
}

}  // namespace gpz::molfile
