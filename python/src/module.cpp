// SPDX-License-Identifier: BSD-3-Clause
#include "module.hpp"

#include "gpz/limits.hpp"
#include "gpz/version.h"

NB_MODULE(_core, module) {
  module.attr("version") = GPZ_VERSION_STRING;
  module.def("default_memory_limit", &gpz::default_memory_limit,
             "Bytes: half of the memory of this machine, or of what the process may use.");
  gpz::python::bind_errors();
  gpz::python::bind_reader(module);
  gpz::python::bind_writer(module);
}
