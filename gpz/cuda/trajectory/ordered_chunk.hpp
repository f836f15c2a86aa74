// SPDX-License-Identifier: BSD-3-Clause
// Decodes ordered chunks (docs/format.md, section 10) into arrays: the counterpart of trajectory::OrderedChunk. All
// work is queued on the stream; reading heads may wait for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda.hpp"
#include "gpz/cuda/trajectory/chunk_bytes.hpp"

namespace gpz::cuda {

std::size_t ordered_chunk_workspace(const std::vector<FieldOutput> &fields, std::uint64_t particles);

// Writes particle i of an opened chunk (ChunkBytes::opened) to element i. Sets *status (device memory) to 0,
// chunk_damaged or chunk_unsupported. Throws corrupt, truncated, and unsupported for sections that only the CPU
// decodes.
void decode_ordered_chunk(const ChunkBytes &chunk, std::uint64_t particles, const std::vector<FieldOutput> &fields,
                          void *workspace, std::size_t workspace_size, std::uint32_t *status, Stream stream);

}  // namespace gpz::cuda
