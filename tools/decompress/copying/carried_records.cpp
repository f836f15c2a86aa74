// SPDX-License-Identifier: BSD-3-Clause
#include "copying/carried_records.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "copying/tables_with_atoms.hpp"
#include "gpz/error.hpp"

namespace gpz::tool {

void CarriedRecords::before(std::size_t i) {
  if (!begun_) {
    begun_ = true;
    move_tables_behind(i);
  }
  while (next_ <= i) {
    const std::size_t frame = next_++;
    for (const RecordEntry &entry : reader_.records(frame)) {
      // Those of a frame that is left out.
      if (entry.type == observables_record_type && frame != i) continue;
      if (std::find(moved_.begin(), moved_.end(), entry.offset) == moved_.end()) copy(entry);
    }
  }
}

void CarriedRecords::move_tables_behind(std::size_t i) {
  const auto read = [&](const RecordEntry &entry) -> std::vector<Table> {
    if (entry.type != tables_record_type) return {};
    try {
      return tables_of(reader_.stored(entry), limits_);
    } catch (const Error &error) {
      if (error.status() != Status::corrupt) throw;
      return {};  // it is copied as it is
    }
  };
  std::map<std::string, Table> moved;
  for (const RecordEntry &entry : reader_.records(reader_.frames())) {
    std::vector<Table> tables = read(entry);
    if (!tables.empty()) moved_.push_back(entry.offset);
    for (Table &table : tables) moved[table.name] = std::move(table);
  }
  if (moved.empty()) return;
  for (std::size_t frame = 0; frame <= i && frame < reader_.frames(); ++frame)
    for (const RecordEntry &entry : reader_.records(frame))
      for (const Table &table : read(entry)) moved.erase(table.name);
  std::vector<Table> tables;
  tables.reserve(moved.size());
  for (auto &named : moved) tables.push_back(std::move(named.second));
  if (tables.empty()) return;
  const StoredRecord record = tables_record(tables);
  out_.copy(ids_ != nullptr ? tables_with_atoms(record, *ids_, limits_) : record);
}

void CarriedRecords::copy(const RecordEntry &entry) {
  const StoredRecord record = reader_.stored(entry);
  out_.copy(ids_ != nullptr && entry.type == tables_record_type ? tables_with_atoms(record, *ids_, limits_) : record);
}

}  // namespace gpz::tool
