// SPDX-License-Identifier: BSD-3-Clause
// Checks of Codec, and of the calls with memory of the pool, before and after they compress and decompress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda.hpp"

namespace gpz::cuda {

// The fields in the form that compress() and decompress() need. Removes earlier errors of the caller, which do not
// belong to this call. Throw invalid_argument and limit_exceeded.
std::vector<FieldInput> prepared_inputs(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows,
                                        int device);
std::vector<FieldOutput> prepared_outputs(const std::vector<FieldOutput> &fields, std::uint64_t particles, int device);

// Throws invalid_argument.
void check_chunk(const void *chunk, std::size_t size, int device);

// Throws internal.
void require_fits(const CompressResult &result);
std::vector<double> largest_errors(const CompressResult &result, std::size_t fields);
// Throws corrupt or unsupported.
void require_decoded(std::uint32_t damaged);

}  // namespace gpz::cuda
