// SPDX-License-Identifier: BSD-3-Clause
#include "stream_tables.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include "gpz/error.hpp"
#include "gpz/limits.hpp"

namespace gpz::python {
namespace {

// A writer stores one record of observables for a frame. A program that left out frames may have left some of theirs.
constexpr std::size_t most_waiting = 64;
constexpr std::size_t values_begin = 16;  // behind the timestep and the checksum of the names

std::uint64_t bytes_of(const TableColumn &column) {
  const auto *const texts = std::get_if<std::vector<std::string>>(&column.values);
  if (texts == nullptr) return column.rows() * sizeof(double);
  std::uint64_t bytes = 0;
  for (const std::string &text : *texts) bytes += sizeof(std::string) + text.size();
  return bytes;
}

std::int64_t timestep_of(const StoredRecord &record) {
  std::uint64_t value = 0;
  for (std::size_t k = sizeof value; k > 0; --k) value = value << 8 | record.head[k - 1];
  return static_cast<std::int64_t>(value);
}

double value_at(const StoredRecord &record, std::size_t k) {
  std::uint64_t bits = 0;
  for (std::size_t b = sizeof bits; b > 0; --b) bits = bits << 8 | record.head[values_begin + 8 * k + b - 1];
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

StreamTables::StreamTables(std::uint64_t max_memory)
    : max_memory_(max_memory != 0 ? max_memory : default_memory_limit()) {}

void StreamTables::take(const StoredRecord &record) {
  if (record.type == observables_record_type) {
    waiting_.push_back(record);
    if (waiting_.size() > most_waiting) waiting_.pop_front();
  }
  if (record.type != tables_record_type || damage_) return;
  try {
    keep(tables_of(record, Limits{max_memory_}));
  } catch (const Error &) {
    damage_ = std::current_exception();
    tables_.clear();
  }
}

void StreamTables::keep(std::vector<Table> tables) {
  for (Table &table : tables) {
    std::string name = table.name;
    if (name == "thermo") {
      rows_of_thermo_.clear();
      rows_known_ = false;
    }
    tables_.insert_or_assign(std::move(name), std::move(table));
  }
  std::uint64_t bytes = 0;
  for (const auto &named : tables_)
    for (const TableColumn &column : named.second.columns) bytes += bytes_of(column);
  if (bytes > max_memory_)
    throw Error(Status::limit_exceeded, "the tables of the stream take more memory than allowed");
}

std::vector<Table> StreamTables::tables() const {
  if (damage_) std::rethrow_exception(damage_);
  std::vector<Table> found;
  for (const auto &named : tables_) found.push_back(named.second);
  return found;
}

std::vector<Observable> StreamTables::names() const {
  if (damage_) std::rethrow_exception(damage_);
  const auto place = tables_.find("observables");
  if (place == tables_.end()) throw Error(Status::corrupt, "observables without a table of their names");
  const auto texts = [&](const char *column) {
    const TableColumn *const found = place->second.column(column);
    const auto *const values = found == nullptr ? nullptr : std::get_if<std::vector<std::string>>(&found->values);
    if (values == nullptr) throw Error(Status::corrupt, "the table of observables has no names and units");
    return *values;
  };
  const std::vector<std::string> names = texts("name");
  const std::vector<std::string> units = texts("unit");
  std::vector<Observable> found;
  for (std::size_t k = 0; k < names.size(); ++k)
    found.push_back({names[k], units[k], std::numeric_limits<double>::quiet_NaN()});
  return found;
}

std::vector<Observable> StreamTables::of_record(const StoredRecord &record) const {
  std::vector<Observable> found = names();
  StoredRecord same;  // with the checksum of these names
  try {
    same = observables_record(timestep_of(record), found);
  } catch (const Error &) {
    throw Error(Status::corrupt, "length of the name or the unit of an observable");
  }
  if (same.head.size() != record.head.size() ||
      !std::equal(same.head.begin(), same.head.begin() + values_begin, record.head.begin()))
    throw Error(Status::corrupt, "observables with other names than the table in front of them has");
  for (std::size_t k = 0; k < found.size(); ++k) found[k].value = value_at(record, k);
  return found;
}

std::vector<Observable> StreamTables::of_thermo(std::int64_t timestep) {
  const auto place = tables_.find("thermo");
  if (place == tables_.end()) return {};
  if (!rows_known_) {
    const TableColumn *const column = place->second.column("timestep");
    const auto *const values = column == nullptr ? nullptr : std::get_if<std::vector<std::int64_t>>(&column->values);
    if (values == nullptr) throw Error(Status::corrupt, "the table thermo has no integers named timestep");
    for (std::size_t row = 0; row < values->size(); ++row)
      rows_of_thermo_.emplace((*values)[row], row);  // the first one
    rows_known_ = true;
  }
  const auto row = rows_of_thermo_.find(timestep);
  if (row == rows_of_thermo_.end()) return {};
  std::vector<Observable> found;
  for (const TableColumn &column : place->second.columns)
    if (const auto *const values = std::get_if<std::vector<double>>(&column.values))
      found.push_back({column.name, column.unit, (*values)[row->second]});
  return found;
}

std::vector<Observable> StreamTables::observables(std::int64_t timestep) {
  const std::deque<StoredRecord> waiting = std::exchange(waiting_, {});
  for (auto record = waiting.rbegin(); record != waiting.rend(); ++record) {
    if (record->head.size() < values_begin || !record->body.empty())
      throw Error(Status::corrupt, "length of a record of observables");
    if (timestep_of(*record) == timestep) return of_record(*record);
  }
  if (damage_) std::rethrow_exception(damage_);
  return of_thermo(timestep);
}

}  // namespace gpz::python
