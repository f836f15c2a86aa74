// SPDX-License-Identifier: BSD-3-Clause
#include "copying/records_of_part.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "gpz/error.hpp"
#include "gpz/units.hpp"
#include "table_text.hpp"

namespace gpz::tool {
namespace {

constexpr std::size_t head_size = 16;  // of a record of observables, in front of the values

// Empty if the number of the particles is among them already, or if the table is not as it has to be.
std::vector<Observable> names_without_count(const Table &table) {
  const std::vector<std::string> *const names = texts_of(table, "name");
  const std::vector<std::string> *const units = texts_of(table, "unit");
  std::vector<Observable> found;
  if (names == nullptr || units == nullptr || std::count(names->begin(), names->end(), observed_atoms) != 0)
    return found;
  for (std::size_t k = 0; k < names->size(); ++k) found.push_back({(*names)[k], (*units)[k], 0});
  return found;
}

Table with_column(Table thermo, std::uint64_t particles) {
  const std::vector<double> counts(thermo.rows(), static_cast<double>(particles));
  thermo.columns.push_back({observed_atoms, "", counts});
  return thermo;
}

}  // namespace

StoredRecord RecordsOfPart::changed(const StoredRecord &record, std::uint64_t particles) {
  if (record.type == observables_record_type) return with_count(record, particles);
  if (record.type != tables_record_type) return record;
  std::vector<Table> tables;
  try {
    tables = tables_of(record, limits_);
  } catch (const Error &error) {
    if (error.status() != Status::corrupt) throw;
    names_.clear();
    thermo_.reset();
    return record;
  }
  const bool has_counts = add_counts(tables, particles);
  if (ids_ != nullptr) keep_particles(tables, *ids_);
  return has_counts || ids_ != nullptr ? tables_record(tables) : record;
}

// Whether there was anything to add.
bool RecordsOfPart::add_counts(std::vector<Table> &tables, std::uint64_t particles) {
  bool added = false;
  for (Table &table : tables) {
    if (table.name == "observables") {
      names_ = names_without_count(table);
      if (names_.empty()) continue;
      std::vector<Observable> all = names_;
      all.push_back({observed_atoms, "", 0});
      try {
        table = observables_table(all);
      } catch (const Error &error) {
        if (error.status() != Status::invalid_argument) throw;
        names_.clear();  // readers refuse the table
        continue;
      }
      added = true;
    } else if (table.name == "thermo") {
      thermo_.reset();
      if (table.column("timestep") == nullptr || table.column(observed_atoms) != nullptr) continue;
      thermo_ = table;
      table = with_column(std::move(table), particles);
      written_for_ = particles;
      added = true;
    }
  }
  return added;
}

StoredRecord RecordsOfPart::with_count(const StoredRecord &record, std::uint64_t particles) const {
  if (names_.empty() || record.head.size() != head_size + names_.size() * sizeof(double)) return record;
  std::int64_t timestep = 0;
  std::memcpy(&timestep, record.head.data(), sizeof timestep);
  std::vector<Observable> values = names_;
  for (std::size_t k = 0; k < values.size(); ++k)
    std::memcpy(&values[k].value, record.head.data() + head_size + k * sizeof(double), sizeof(double));
  if (observables_record(timestep, values).head != record.head) return record;  // of other names
  values.push_back({observed_atoms, "", static_cast<double>(particles)});
  return observables_record(timestep, values);
}

std::optional<StoredRecord> RecordsOfPart::before_frame(std::uint64_t particles) {
  if (!thermo_ || particles == written_for_) return std::nullopt;
  written_for_ = particles;
  return tables_record({with_column(*thermo_, particles)});
}

}  // namespace gpz::tool
