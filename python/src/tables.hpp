// SPDX-License-Identifier: BSD-3-Clause
// Tables and observables (gpz/tables.hpp) between C++ and Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "gpz/tables.hpp"

namespace gpz::python {

// [(name, [(column, unit, values)])]. Values: an int64 or a float64 array, or a list of texts.
nanobind::list to_python(const std::vector<Table> &tables);
// The same, with arrays that are contiguous.
std::vector<Table> tables_from(const nanobind::list &tables);

// [(name, unit, value)].
nanobind::list to_python(const std::vector<Observable> &observables);
std::vector<Observable> observables_from(const nanobind::list &observables);

}  // namespace gpz::python
