// SPDX-License-Identifier: BSD-3-Clause
// Chunks in the order of ids (docs/format.md, section 10), decoded into arrays: the counterpart of
// trajectory::OrderedChunk. Everything is queued on the stream; heads may wait for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda.hpp"
#include "gpz/cuda/trajectory/chunk_bytes.hpp"

namespace gpz::cuda {

std::size_t ordered_chunk_workspace(const std::vector<FieldOutput> &fields, std::uint64_t particles);

// Particle i goes to element i. *status (device memory) becomes 0, chunk_damaged or
// chunk_unsupported. Throws corrupt, truncated, and unsupported for sections that only the CPU decodes.
void decode_ordered_chunk(const ChunkBytes &chunk, std::uint64_t particles, const std::vector<FieldOutput> &fields,
                          void *workspace, std::size_t workspace_size, std::uint32_t *status, Stream stream);

}  // namespace gpz::cuda
