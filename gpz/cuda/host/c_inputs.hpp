// SPDX-License-Identifier: BSD-3-Clause
// Fields of C callers, with values in device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/frame.hpp"
#include "gpz/gpz_frame.h"

namespace gpz::cuda {

// Throw invalid_argument. Fields need no data if `particles` is 0.
std::vector<FieldInput> device_inputs(const std::vector<gpz_field> &fields, std::uint64_t particles);
std::vector<FieldInput> device_inputs(const gpz_field *fields, std::size_t count, std::uint64_t particles);

}  // namespace gpz::cuda
