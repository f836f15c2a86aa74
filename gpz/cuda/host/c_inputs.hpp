// SPDX-License-Identifier: BSD-3-Clause
// The fields of C callers, whose values are in device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/frame.hpp"
#include "gpz/gpz_frame.h"

namespace gpz::cuda {

// Throw invalid_argument. With `particles` 0 the fields need no data.
std::vector<FieldInput> device_inputs(const std::vector<gpz_field> &fields, std::uint64_t particles);
std::vector<FieldInput> device_inputs(const gpz_field *fields, std::size_t count, std::uint64_t particles);

}  // namespace gpz::cuda
