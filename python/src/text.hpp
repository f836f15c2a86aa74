// SPDX-License-Identifier: BSD-3-Clause
// Texts between C++ and Python. Those of a file are any bytes that its writer chose: what is no UTF-8 becomes surrogate
// escapes, as in names of files, and back.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace gpz::python {

nanobind::str to_python(const std::string &text);
nanobind::list to_python(const std::vector<std::string> &texts);
std::string from_python(const nanobind::str &text);
std::vector<std::string> from_python(const nanobind::list &texts);

}  // namespace gpz::python
