// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/independent.hpp"

#include "gpz/core/block.hpp"
#include "gpz/core/sequence.hpp"
#include "gpz/cuda/sequence/sequence.hpp"
#include "gpz/cuda/trajectory/ordered_chunk.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/difference_rules.hpp"

namespace gpz::cuda {

namespace {

// Kernels read the heads of such chunks, as far as they know them.
bool has_positions_alone(const std::vector<Field> &fields) {
  return fields.size() == 1 && fields[0].type != ValueType::integer && fields[0].step > 0;
}

}  // namespace

ChunkKind open_independent(const ChunkBytes &chunk, std::uint64_t particles, const std::vector<Field> &fields) {
  const ChunkKind kind = chunk_kind(chunk.host(0, format::chunk_start_size), chunk.size());
  if (kind == ChunkKind::difference)
    format::corrupt("a difference chunk where an independent chunk is expected", format::chunk_kind_at);
  if (kind == ChunkKind::cells)
    throw Error(Status::unsupported, "cell chunks are decoded on the CPU only", {}, format::chunk_kind_at);
  if (kind == ChunkKind::sequence && (!has_positions_alone(fields) || particles == 0))
    throw Error(Status::unsupported, "sequence chunks with other fields than positions are decoded on the CPU only", {},
                format::chunk_kind_at);
  if (kind == ChunkKind::sequence) {
    const auto components = static_cast<int>(fields[0].components.size());
    if (particles > format::max_followed ||
        core::sequence_blocks(particles) > chunk.size() / core::sequence_record_size(components))
      format::corrupt("more particles than a chunk can have", 0);
    return kind;
  }
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
  if (kind == ChunkKind::sequence) return decode_sequence_workspace(fields[0], particles);
  return decompress_workspace_size(fields, particles);
}

void decode_independent(ChunkKind kind, const ChunkBytes &chunk, std::uint64_t particles,
                        const std::vector<FieldOutput> &fields, void *workspace, std::size_t workspace_size,
                        std::uint32_t *status, Stream stream) {
  if (kind == ChunkKind::ordered)
    return decode_ordered_chunk(chunk, particles, fields, workspace, workspace_size, status, stream);
  if (kind == ChunkKind::sequence)
    return decode_sequence_chunk(chunk.device(), chunk.size(), particles, fields[0], workspace, workspace_size, status,
                                 stream);
  decompress(chunk.device(), chunk.size(), particles, fields, workspace, workspace_size, status, stream);
}

}  // namespace gpz::cuda
