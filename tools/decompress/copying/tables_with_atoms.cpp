// SPDX-License-Identifier: BSD-3-Clause
#include "copying/tables_with_atoms.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gpz/error.hpp"

namespace gpz::tool {
namespace {

constexpr std::array<const char *, 5> columns_of_ids = {"id", "atom1", "atom2", "atom3", "atom4"};
constexpr std::array<const char *, 5> tables_of_particles = {"atoms", "bonds", "angles", "dihedrals", "impropers"};

void keep_rows(Table &table, const std::vector<char> &kept) {
  for (TableColumn &column : table.columns)
    std::visit(
        [&](auto &values) {
          std::size_t next = 0;
          for (std::size_t row = 0; row < kept.size(); ++row)
            if (kept[row] != 0) values[next++] = values[row];
          values.resize(next);
        },
        column.values);
}

void keep_particles(Table &table, const NumberRanges &ids) {
  if (std::find(tables_of_particles.begin(), tables_of_particles.end(), table.name) == tables_of_particles.end())
    return;
  std::vector<char> kept(table.rows(), 1);
  for (const char *const name : columns_of_ids) {
    const TableColumn *const column = table.column(name);
    const auto *const of_rows = column == nullptr ? nullptr : std::get_if<std::vector<std::int64_t>>(&column->values);
    if (of_rows == nullptr) continue;
    for (std::size_t row = 0; row < kept.size(); ++row)
      if (!ids.has((*of_rows)[row])) kept[row] = 0;
  }
  keep_rows(table, kept);
}

}  // namespace

StoredRecord tables_with_atoms(const StoredRecord &record, const NumberRanges &ids, const Limits &limits) {
  std::vector<Table> tables;
  try {
    tables = tables_of(record, limits);
  } catch (const Error &error) {
    if (error.status() != Status::corrupt) throw;
    return record;
  }
  for (Table &table : tables) keep_particles(table, ids);
  return tables_record(tables);
}

}  // namespace gpz::tool
