// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/table_history.hpp"

#include <algorithm>
#include <optional>

#include "gpz/api/file.hpp"
#include "gpz/api/observables.hpp"
#include "gpz/api/tables.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::api {

void TableHistory::find(std::size_t i) {
  for (; searched_ <= i; ++searched_) {
    for (const RecordEntry &entry : file_.records(searched_)) {
      if (entry.type != tables_record_type) continue;
      const std::vector<std::string> names =
          in_place(file_.name(), entry.offset, [&] { return names_of_tables(file_.stored(entry)); });
      for (const std::string &name : names) places_[name].push_back({searched_, entry});
    }
  }
}

const RecordEntry *TableHistory::last(const std::vector<Place> &places, std::size_t i) {
  const auto behind = std::upper_bound(places.begin(), places.end(), i,
                                       [](std::size_t frame, const Place &place) { return frame < place.frame; });
  return behind == places.begin() ? nullptr : &std::prev(behind)->record;
}

std::vector<Table> TableHistory::tables(std::size_t i, const std::vector<std::string> &names) {
  const std::lock_guard<std::mutex> lock(mutex_);
  find(i);
  std::vector<Table> found;
  for (const auto &named : places_) {
    const std::string &name = named.first;
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
    const RecordEntry *const entry = last(named.second, i);
    if (entry == nullptr) continue;
    in_place(file_.name(), entry->offset, [&] {
      for (Table &table : read_tables(file_.stored(*entry), [&](const std::string &other) { return other == name; }))
        found.push_back(std::move(table));
    });
  }
  return found;
}

std::vector<Observable> TableHistory::observables(std::size_t i) {
  std::optional<RecordEntry> values;
  const std::vector<RecordEntry> records = file_.records(i);
  if (std::none_of(records.begin(), records.end(),
                   [](const RecordEntry &entry) { return entry.type == observables_record_type; }))
    return {};
  const std::int64_t timestep = file_.scan().frames.at(i).timestep;
  StoredRecord stored;
  for (const RecordEntry &entry : records) {
    if (entry.type != observables_record_type) continue;
    StoredRecord record = file_.stored(entry);
    if (in_place(file_.name(), entry.offset, [&] { return timestep_of_observables(record); }) != timestep) continue;
    stored = std::move(record);
    values = entry;
  }
  if (!values) return {};
  const std::lock_guard<std::mutex> lock(mutex_);
  find(i);
  const auto places = places_.find(observables_table_name);
  const RecordEntry *const entry = places == places_.end() ? nullptr : last(places->second, i);
  if (entry != nullptr && entry->offset != names_from_) {
    names_ = in_place(file_.name(), entry->offset, [&] {
      return names_of_observables(
          read_tables(file_.stored(*entry), [](const std::string &name) { return name == observables_table_name; }));
    });
    names_from_ = entry->offset;
  }
  return in_place(file_.name(), values->offset, [&] {
    if (entry == nullptr) format::corrupt("observables without a table of their names");
    return values_of_observables(stored, names_);
  });
}

}  // namespace gpz::api
