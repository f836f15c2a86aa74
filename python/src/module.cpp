// SPDX-License-Identifier: BSD-3-Clause
#include "module.hpp"

#include "gpz/limits.hpp"
#include "gpz/printable.hpp"
#include "gpz/version.h"
#include "text.hpp"

NB_MODULE(_core, module) {
  // Programs that end while other packages hold objects (notebooks do) would print a line for each.
  nanobind::set_leak_warnings(false);
  module.attr("version") = GPZ_VERSION_STRING;
  module.def("default_memory_limit", &gpz::default_memory_limit,
             "Bytes: half of the memory of this machine, or of what the process may use.");
  module.def(
      "printable",
      [](const nanobind::str &text) { return gpz::python::to_python(gpz::printable(gpz::python::from_python(text))); },
      "The text as one line that no terminal takes for a command, for names from files.");
  gpz::python::bind_errors();
  gpz::python::bind_reader(module);
  gpz::python::bind_writer(module);
}
