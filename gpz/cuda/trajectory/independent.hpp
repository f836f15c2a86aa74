// SPDX-License-Identifier: BSD-3-Clause
// Chunks that are decoded without others: whole ones, arrivals, and fields that are coded in blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/cuda.hpp"
#include "gpz/cuda/trajectory/chunk_bytes.hpp"

namespace gpz::cuda {

// Opens a chunk that is said to have so many particles. Throws corrupt, truncated; unsupported for kinds that only the
// CPU decodes, and fields that it alone decodes in them. Memory for the particles may be asked for afterwards: the
// bytes are enough for them.
ChunkKind open_independent(const ChunkBytes &chunk, std::uint64_t particles, const std::vector<Field> &fields);

// Decodes it into arrays. *status (device memory) becomes 0, chunk_damaged or chunk_unsupported. Everything is queued
// on the stream.
std::size_t independent_workspace(ChunkKind kind, const std::vector<FieldOutput> &fields, std::uint64_t particles);
void decode_independent(ChunkKind kind, const ChunkBytes &chunk, std::uint64_t particles,
                        const std::vector<FieldOutput> &fields, void *workspace, std::size_t workspace_size,
                        std::uint32_t *status, Stream stream);

}  // namespace gpz::cuda
