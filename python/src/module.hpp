// SPDX-License-Identifier: BSD-3-Clause
// The parts of gpz._core, which the Python files of the package use. Nothing of it is for users.
#pragma once

#include <nanobind/nanobind.h>

namespace gpz::python {

// gpz::Error arrives as the exception that gpz._errors.from_library makes of it.
void bind_errors();
void bind_sources(nanobind::module_ &module);
void bind_frame_array(nanobind::module_ &module);
void bind_lossless(nanobind::module_ &module);
void bind_positions(nanobind::module_ &module);
void bind_selection(nanobind::module_ &module);
void bind_reader(nanobind::module_ &module);
void bind_writer(nanobind::module_ &module);

}  // namespace gpz::python
