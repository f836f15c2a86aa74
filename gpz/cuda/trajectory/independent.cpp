// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/independent.hpp"

#include "gpz/core/block.hpp"
#include "gpz/cuda/trajectory/ordered_chunk.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::cuda {

ChunkKind open_independent(const ChunkBytes &chunk, std::uint64_t particles) {
  const ChunkKind kind = chunk_kind(chunk.host(0, format::chunk_start_size), chunk.size());
  if (kind == ChunkKind::difference)
    format::corrupt("a difference chunk where an independent chunk is expected", format::chunk_kind_at);
  if (kind == ChunkKind::cells)
    throw Error(Status::unsupported, "cell chunks are decoded on the CPU only", {}, format::chunk_kind_at);
  if (kind == ChunkKind::sequence)
    throw Error(Status::unsupported, "sequence chunks of a file are decoded on the CPU only", {},
                format::chunk_kind_at);
  if (kind == ChunkKind::ordered) {
    if (!format::plausible_particle_count(particles, chunk.size()))
      format::corrupt("more particles than a chunk can have", 0);
    return kind;
  }
  // The record of a block has a bit at least.
  if (core::blocks_of(particles) / 8 > chunk.size()) format::corrupt("more particles than a chunk can have", 0);
  return kind;
}

std::size_t independent_workspace(ChunkKind kind, const std::vector<FieldOutput> &fields, std::uint64_t particles) {
  if (kind == ChunkKind::ordered) return ordered_chunk_workspace(fields, particles);
  return decompress_workspace_size(fields, particles);
}

void decode_independent(ChunkKind kind, const ChunkBytes &chunk, std::uint64_t particles,
                        const std::vector<FieldOutput> &fields, void *workspace, std::size_t workspace_size,
                        std::uint32_t *status, Stream stream) {
  if (kind == ChunkKind::ordered)
    return decode_ordered_chunk(chunk, particles, fields, workspace, workspace_size, status, stream);
  decompress(chunk.device(), chunk.size(), particles, fields, workspace, workspace_size, status, stream);
}

}  // namespace gpz::cuda
