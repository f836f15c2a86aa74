// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/stream_tables.hpp"

#include <utility>

#include "gpz/error.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::api {
namespace {

// A writer stores one record of observables for a frame. A program that left out frames may have left some of theirs.
constexpr std::size_t most_waiting = 64;

std::uint64_t bytes_of(const Table &table) {
  std::uint64_t bytes = 0;
  for (const TableColumn &column : table.columns) {
    const auto *const texts = std::get_if<std::vector<std::string>>(&column.values);
    if (texts == nullptr) {
      bytes += column.rows() * sizeof(double);
      continue;
    }
    for (const std::string &text : *texts) bytes += sizeof(std::string) + text.size();
  }
  return bytes;
}

}  // namespace

void StreamTables::take(const StoredRecord &record) {
  if (record.type == observables_record_type) {
    waiting_.push_back(record);
    if (waiting_.size() > most_waiting) waiting_.pop_front();
  }
  if (record.type != tables_record_type || damage_) return;
  try {
    const auto charges = std::make_shared<Charges>();
    for (Table &table : read_tables(
             record, [](const std::string & /*name*/) { return true; }, *charges)) {
      if (table.name == thermo_table_name) thermo_.reset();
      std::string name = table.name;
      tables_.insert_or_assign(std::move(name), Kept{std::move(table), charges});
    }
  } catch (const Error &) {
    damage_ = std::current_exception();
    tables_.clear();
    thermo_.reset();
  }
}

void StreamTables::pass_frame(std::int64_t timestep) {
  of_frame_ = std::exchange(waiting_, {});
  timestep_ = timestep;
}

std::vector<Table> StreamTables::tables() const {
  if (damage_) std::rethrow_exception(damage_);
  std::vector<Table> found;
  for (const auto &named : tables_) found.push_back(named.second.table);
  return found;
}

std::vector<Table> StreamTables::copy_of(const std::string &name, Charges &charges) const {
  if (damage_) std::rethrow_exception(damage_);
  const auto found = tables_.find(name);
  if (found == tables_.end()) return {};
  charges.emplace_back(bytes_of(found->second.table));
  return {found->second.table};
}

std::vector<Observable> StreamTables::observables() {
  for (auto record = of_frame_.rbegin(); record != of_frame_.rend(); ++record) {
    if (timestep_of_observables(*record) != timestep_) continue;
    Charges charges;
    std::vector<Table> names = copy_of(observables_table_name, charges);
    if (names.empty()) format::corrupt("observables without a table of their names");
    return values_of_observables(*record, names_of_observables(std::move(names), charges));
  }
  if (!thermo_) {
    Charges charges;
    std::vector<Table> thermo = copy_of(thermo_table_name, charges);
    if (thermo.empty()) return {};
    thermo_.emplace(std::move(thermo), std::move(charges));
  }
  return thermo_->at(timestep_);
}

}  // namespace gpz::api
