// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/table_history.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "gpz/api/file.hpp"
#include "gpz/api/tables.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::api {

void TableHistory::find(std::size_t i) {
  const std::size_t frames = file_.scan().frames.size();
  if (!searched_behind_) find_in_front_of(frames, behind_);
  searched_behind_ = true;
  for (; searched_ <= i && searched_ < frames; ++searched_) find_in_front_of(searched_, tables_);
}

void TableHistory::find_in_front_of(std::size_t i, TableRecords &tables) const {
  std::vector<std::pair<std::string, RecordEntry>> found;  // added when all is read: a later call begins anew
  for (const RecordEntry &entry : file_.records(i)) {
    if (entry.type != tables_record_type) continue;
    for (TableHead &head :
         locating_errors(file_.name(), entry.offset, [&] { return table_heads(file_.stored(entry)); }))
      found.emplace_back(std::move(head.name), entry);
  }
  for (const auto &[name, entry] : found) tables[name].push_back({i, entry});
}

const RecordEntry *TableHistory::valid(const std::string &name, std::size_t i) const {
  const auto behind = behind_.find(name);
  const RecordEntry *const last = behind == behind_.end() ? nullptr : &behind->second.back().record;
  if (last != nullptr && i == file_.scan().frames.size()) return last;
  const auto tables = tables_.find(name);
  if (tables == tables_.end()) return last;
  const auto after = std::upper_bound(tables->second.begin(), tables->second.end(), i,
                                      [](std::size_t frame, const TableRecord &table) { return frame < table.frame; });
  return after == tables->second.begin() ? last : &std::prev(after)->record;
}

std::vector<Table> TableHistory::tables(std::size_t i, const std::vector<std::string> &names) {
  (void)file_.records(i);  // throws not_found
  const std::lock_guard<std::mutex> lock(mutex_);
  find(i);
  std::set<std::string> wanted(names.begin(), names.end());
  if (names.empty())
    for (const TableRecords *const tables : {&tables_, &behind_})
      for (const auto &named : *tables) wanted.insert(named.first);
  // Each record is read once, whatever number of tables it has.
  std::map<std::uint64_t, std::pair<RecordEntry, std::set<std::string>>> records;
  for (const std::string &name : wanted)
    if (const RecordEntry *const entry = valid(name, i))
      records.try_emplace(entry->offset, *entry, std::set<std::string>{}).first->second.second.insert(name);
  std::vector<Table> found;
  Charges charges;
  for (const auto &[offset, record] : records) {
    const auto &[entry, of_record] = record;
    locating_errors(file_.name(), offset, [&, &entry = entry, &of_record = of_record] {
      const auto is_wanted = [&](const std::string &name) { return of_record.count(name) != 0; };
      for (Table &table : read_tables(file_.stored(entry), is_wanted, charges)) found.push_back(std::move(table));
    });
  }
  std::sort(found.begin(), found.end(), [](const Table &a, const Table &b) { return a.name < b.name; });
  return found;
}

std::vector<Observable> TableHistory::observables(std::size_t i) {
  const std::vector<RecordEntry> records = file_.records(i);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (i >= file_.scan().frames.size()) return {};
  const std::int64_t timestep = file_.scan().frames[i].timestep;
  for (auto entry = records.rbegin(); entry != records.rend(); ++entry) {
    if (entry->type != observables_record_type) continue;
    const StoredRecord record = file_.stored(*entry);
    const auto here = [&](auto &&step) { return locating_errors(file_.name(), entry->offset, step); };
    if (here([&] { return timestep_of_observables(record); }) != timestep) continue;
    find(i);
    const RecordEntry *const names = valid(observables_table_name, i);
    if (names != nullptr && names->offset != names_from_) {
      Charges charges;
      names_ = locating_errors(file_.name(), names->offset, [&] {
        std::vector<Table> table = read_table(*names, observables_table_name, charges);
        return names_of_observables(std::move(table), charges);
      });
      names_charges_ = std::move(charges);
      names_from_ = names->offset;
    }
    return here([&] {
      if (names == nullptr) format::corrupt("observables without a table of their names");
      return values_of_observables(record, names_);
    });
  }
  return observables_of_thermo(i);
}

std::vector<Table> TableHistory::read_table(const RecordEntry &entry, const std::string &name, Charges &charges) const {
  return read_tables(
      file_.stored(entry), [&](const std::string &other) { return other == name; }, charges);
}

std::vector<Observable> TableHistory::observables_of_thermo(std::size_t i) {
  find(i);
  const RecordEntry *const entry = valid(thermo_table_name, i);
  if (entry == nullptr) return {};
  return locating_errors(file_.name(), entry->offset, [&] {
    if (entry->offset != thermo_from_) {
      Charges charges;
      std::vector<Table> tables = read_table(*entry, thermo_table_name, charges);
      thermo_ = ThermoTable(std::move(tables), std::move(charges));
      thermo_from_ = entry->offset;
    }
    return thermo_.at(file_.scan().frames[i].timestep);
  });
}

}  // namespace gpz::api
