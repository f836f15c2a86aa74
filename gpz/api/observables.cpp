// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/observables.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/checksum.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz {
namespace {

constexpr std::size_t head_size = 16;  // in front of the values
constexpr std::size_t longest_name = 255;

// Checksum of all names and units. It says which table a record belongs to.
std::uint64_t checksum_of(const std::vector<Observable> &observables) {
  Bytes bytes;
  format::ByteWriter out(bytes);
  for (const Observable &observable : observables)
    for (const std::string *const text : {&observable.name, &observable.unit}) {
      out.u32(static_cast<std::uint32_t>(text->size()));
      out.raw(text->data(), text->size());
    }
  return format::xxh3(bytes.data(), bytes.size());
}

bool is_named(const Observable &observable) {
  return !observable.name.empty() && observable.name.size() <= longest_name && observable.unit.size() <= longest_name;
}

void require(const std::vector<Observable> &observables) {
  for (const Observable &observable : observables)
    if (!is_named(observable))
      throw Error(Status::invalid_argument,
                  "observable \"" + observable.name + "\": a name has 1 to 255 bytes, a unit at most 255");
}

}  // namespace

Table observables_table(const std::vector<Observable> &observables) {
  require(observables);
  std::vector<std::string> names;
  std::vector<std::string> units;
  for (const Observable &observable : observables) {
    names.push_back(observable.name);
    units.push_back(observable.unit);
  }
  return {api::observables_table_name, {{"name", "", std::move(names)}, {"unit", "", std::move(units)}}};
}

StoredRecord observables_record(std::int64_t timestep, const std::vector<Observable> &observables) {
  require(observables);
  StoredRecord record;
  record.type = observables_record_type;
  format::ByteWriter head(record.head);
  head.i64(timestep);
  head.u64(checksum_of(observables));
  for (const Observable &observable : observables) head.f64(observable.value);
  return record;
}

namespace api {

std::vector<Observable> names_of_observables(std::vector<Table> tables, Charges &charges) {
  std::vector<Observable> names;
  if (tables.size() != 1) format::corrupt("no table of observables");
  std::vector<std::string> *name = nullptr;
  std::vector<std::string> *unit = nullptr;
  for (TableColumn &column : tables[0].columns) {
    auto *const texts = std::get_if<std::vector<std::string>>(&column.values);
    if (column.name == "name") name = texts;
    if (column.name == "unit") unit = texts;
  }
  if (name == nullptr || unit == nullptr) format::corrupt("the table of observables has no names and units");
  charges.emplace_back(name->size() * sizeof(Observable));
  names.reserve(name->size());
  for (std::size_t k = 0; k < name->size(); ++k) {
    names.push_back({std::move((*name)[k]), std::move((*unit)[k]), std::numeric_limits<double>::quiet_NaN()});
    if (!is_named(names.back())) format::corrupt("length of the name or the unit of an observable");
  }
  return names;
}

std::int64_t timestep_of_observables(const StoredRecord &record) {
  if (record.head.size() < head_size || !record.body.empty()) format::corrupt("length of a record of observables", 0);
  return format::ByteReader(record.head.data(), record.head.size()).i64();
}

std::vector<Observable> values_of_observables(const StoredRecord &record, const std::vector<Observable> &names) {
  format::ByteReader in(record.head.data(), record.head.size());
  in.i64();
  const std::uint64_t checksum = in.u64();
  if (in.left() / sizeof(double) != names.size() || checksum != checksum_of(names))
    format::corrupt("observables with other names than the table in front of them has", 0);
  std::vector<Observable> observables = names;
  for (Observable &observable : observables) observable.value = in.f64();
  return observables;
}

ThermoTable::ThermoTable(std::vector<Table> tables, Charges charges) : charges_(std::move(charges)) {
  if (tables.size() != 1) format::corrupt("no table of timesteps");
  table_ = std::move(tables[0]);
  const TableColumn *const timesteps = table_.column("timestep");
  const auto *const of_rows =
      timesteps == nullptr ? nullptr : std::get_if<std::vector<std::int64_t>>(&timesteps->values);
  if (of_rows == nullptr) format::corrupt("the table thermo has no integers named timestep");
  timesteps_ = of_rows->data();
  rows_.resize(of_rows->size());
  std::iota(rows_.begin(), rows_.end(), std::size_t{0});
  std::sort(rows_.begin(), rows_.end(), [this](std::size_t a, std::size_t b) {
    return timesteps_[a] != timesteps_[b] ? timesteps_[a] < timesteps_[b] : a < b;
  });
}

std::vector<Observable> ThermoTable::at(std::int64_t timestep) const {
  std::vector<Observable> found;
  const auto row = std::lower_bound(rows_.begin(), rows_.end(), timestep,
                                    [this](std::size_t a, std::int64_t wanted) { return timesteps_[a] < wanted; });
  if (row == rows_.end() || timesteps_[*row] != timestep) return found;
  for (const TableColumn &column : table_.columns)
    if (const auto *const values = std::get_if<std::vector<double>>(&column.values))
      found.push_back({column.name, column.unit, (*values)[*row]});
  return found;
}

}  // namespace api
}  // namespace gpz
