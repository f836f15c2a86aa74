// SPDX-License-Identifier: BSD-3-Clause
// Sequence chunks with one field (docs/decisions/0035), decoded into arrays. Everything is queued on the caller's
// stream; nothing is allocated, nothing waits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/cuda.hpp"

namespace gpz::cuda {

std::size_t decode_sequence_workspace(const FieldOutput &output, std::uint64_t particles);

// Of a chunk in device memory (aligned to 8) with particles > 0, whose field is of floats with a step. *status (memory
// the device can write) becomes 0, chunk_damaged or chunk_unsupported; the outputs are unspecified then, and nothing
// else was written. Throws unsupported if the current device has too little shared memory, invalid_argument.
void decode_sequence_chunk(const void *chunk, std::size_t size, std::uint64_t particles, const FieldOutput &output,
                           void *workspace, std::size_t workspace_size, std::uint32_t *status, Stream stream);

}  // namespace gpz::cuda
