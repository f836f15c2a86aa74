// SPDX-License-Identifier: BSD-3-Clause
// Sequence chunks with one field (docs/decisions/0035), decoded into arrays. All work is queued on the caller's stream,
// without allocating or waiting.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/cuda.hpp"

namespace gpz::cuda {

std::size_t decode_sequence_workspace(const FieldOutput &output, std::uint64_t particles);

// Decodes a chunk in device memory (aligned to 8) with particles > 0, whose field has floats with a step. Sets *status
// (memory that the device can write) to 0, or to chunk_damaged or chunk_unsupported, which leave the outputs
// unspecified. Writes nothing else. Throws unsupported if the current device has too little shared memory,
// invalid_argument.
void decode_sequence_chunk(const void *chunk, std::size_t size, std::uint64_t particles, const FieldOutput &output,
                           void *workspace, std::size_t workspace_size, std::uint32_t *status, Stream stream);

}  // namespace gpz::cuda
