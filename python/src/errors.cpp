// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>

#include <exception>

#include "gpz/error.hpp"
#include "module.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace gpz::python {
namespace {

void translate(const std::exception_ptr &pointer, void * /*unused*/) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error &error) {
    try {
      nb::object position = nb::none();
      if (error.position() != Error::no_position) position = nb::int_(error.position());
      const nb::object made = nb::module_::import_("gpz._errors")
                                  .attr("from_library")(static_cast<int>(error.status()), to_python(error.cause()),
                                                        to_python(error.file()), position, error.system_error());
      PyErr_SetObject(made.type().ptr(), made.ptr());
    } catch (nb::python_error &failure) {
      failure.restore();
    }
  }
}

}  // namespace

void bind_errors() { nb::register_exception_translator(translate); }

}  // namespace gpz::python
