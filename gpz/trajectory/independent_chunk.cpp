// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/independent_chunk.hpp"

#include <cstring>

#include "gpz/error.hpp"
#include "gpz/format/difference_chunk.hpp"
#include "gpz/trajectory/block_chunk.hpp"

namespace gpz::trajectory {

IndependentChunk::IndependentChunk(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles,
                                   const std::vector<Field> &fields, const std::vector<bool> &wanted)
    : fields_(&fields), particles_(particles) {
  if (reinterpret_cast<std::uintptr_t>(bytes) % alignof(std::uint32_t) != 0) {
    aligned_.resize((size + 3) / 4);
    std::memcpy(aligned_.data(), bytes, size);
    bytes = reinterpret_cast<const std::uint8_t *>(aligned_.data());
  }
  // A key frame has no others.
  const ChunkKind kind = chunk_kind(bytes, size);
  if (kind == ChunkKind::difference)
    throw Error(Status::corrupt, "a difference chunk where an independent chunk is expected", {}, 4);
  if (kind == ChunkKind::ordered)
    ordered_ = std::make_unique<OrderedChunk>(bytes, size, particles, fields);
  else if (kind == ChunkKind::cells || kind == ChunkKind::sequence)
    gridded_ = std::make_unique<GriddedChunk>(kind, bytes, size, particles, fields);
  else
    blocks_ = open_block_chunk(bytes, size, particles, fields, wanted);
}

void IndependentChunk::write(std::size_t field, const cpu::Target &target, int threads) const {
  Indices memory;
  write(field, target, threads, memory);
}

void IndependentChunk::write(std::size_t field, const cpu::Target &target, int threads, Indices &memory) const {
  if (ordered_ != nullptr)
    ordered_->write(field, target, threads, memory);
  else if (gridded_ != nullptr)
    gridded_->write(field, target, threads, memory);
  else
    blocks_->decode(field, target, threads);
}

}  // namespace gpz::trajectory
