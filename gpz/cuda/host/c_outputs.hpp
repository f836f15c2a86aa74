// SPDX-License-Identifier: BSD-3-Clause
// Outputs of C callers, in device memory.
#pragma once

#include <cstddef>
#include <vector>

#include "gpz/cuda.hpp"
#include "gpz/gpz_cuda.h"

namespace gpz::cuda {

// Throws invalid_argument.
std::vector<FieldOutput> device_outputs(const gpz_cuda_output *outputs, std::size_t count);

}  // namespace gpz::cuda
