// SPDX-License-Identifier: BSD-3-Clause
#include "tables.hpp"

#include <nanobind/ndarray.h>

#include <string>
#include <unordered_map>
#include <utility>

#include "arrays.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace gpz::python {
namespace {

nb::object values_to_python(const std::vector<std::int64_t> &values) {
  return array_of(std::vector<std::int64_t>(values));
}
nb::object values_to_python(const std::vector<double> &values) { return array_of(std::vector<double>(values)); }
// Equal texts are one object: names of atoms repeat.
nb::object values_to_python(const std::vector<std::string> &values) {
  std::unordered_map<std::string, nb::str> known;
  nb::list list;
  for (const std::string &value : values) {
    auto place = known.find(value);
    if (place == known.end()) place = known.emplace(value, to_python(value)).first;
    list.append(place->second);
  }
  return list;
}

template <class T>
std::vector<T> vector_of(const nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu> &array) {
  return std::vector<T>(array.data(), array.data() + array.shape(0));
}

TableColumn::Values values_from(const nb::handle &values) {
  nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> integers;
  if (nb::try_cast(values, integers, false)) return vector_of(integers);
  nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu> floats;
  if (nb::try_cast(values, floats, false)) return vector_of(floats);
  return from_python(nb::cast<nb::list>(values));
}

}  // namespace

nb::list to_python(const std::vector<Table> &tables) {
  nb::list list;
  for (const Table &table : tables) {
    nb::list columns;
    for (const TableColumn &column : table.columns) {
      const nb::object values = std::visit([](const auto &of) { return values_to_python(of); }, column.values);
      columns.append(nb::make_tuple(to_python(column.name), to_python(column.unit), values));
    }
    list.append(nb::make_tuple(to_python(table.name), columns));
  }
  return list;
}

std::vector<Table> tables_from(const nb::list &tables) {
  std::vector<Table> result;
  for (const nb::handle given : tables) {
    const auto pair = nb::cast<nb::tuple>(given);
    Table table;
    table.name = from_python(nb::cast<nb::str>(pair[0]));
    for (const nb::handle column : nb::cast<nb::list>(pair[1])) {
      const auto parts = nb::cast<nb::tuple>(column);
      table.columns.push_back(
          {from_python(nb::cast<nb::str>(parts[0])), from_python(nb::cast<nb::str>(parts[1])), values_from(parts[2])});
    }
    result.push_back(std::move(table));
  }
  return result;
}

nb::list to_python(const std::vector<Observable> &observables) {
  nb::list list;
  for (const Observable &observable : observables)
    list.append(nb::make_tuple(to_python(observable.name), to_python(observable.unit), observable.value));
  return list;
}

std::vector<Observable> observables_from(const nb::list &observables) {
  std::vector<Observable> result;
  for (const nb::handle given : observables) {
    const auto parts = nb::cast<nb::tuple>(given);
    result.push_back({from_python(nb::cast<nb::str>(parts[0])), from_python(nb::cast<nb::str>(parts[1])),
                      nb::cast<double>(parts[2])});
  }
  return result;
}

}  // namespace gpz::python
