// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/chunk_features.hpp"

#include <optional>

#include "gpz/error.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/trajectory/candidates.hpp"

namespace gpz::trajectory {
namespace {

std::optional<format::OpenedChunk> opened(const format::ReadChunk &read, std::size_t size, std::size_t fields) {
  try {
    return format::open_chunk(read, size, fields);
  } catch (const Error &error) {
    if (error.status() != Status::corrupt && error.status() != Status::truncated) throw;
    return std::nullopt;
  }
}

}  // namespace

std::uint32_t chunk_features(const format::ReadChunk &read, std::size_t size, std::size_t fields) {
  const auto chunk = opened(read, size, fields);
  if (!chunk) return 0;
  std::uint32_t features = feature_of(chunk->kind);
  if (chunk->kind == ChunkKind::block) return features;
  for (const format::Span &section : chunk->sections) {
    if (section.size == 0) continue;
    std::uint8_t number = 0;
    read(section.offset, &number, 1);
    const Coding *const coding = find_coding(number);
    if (coding != nullptr && (coding->chunks & 1u << static_cast<unsigned>(chunk->kind)) != 0)
      features |= coding->feature;
  }
  return features;
}

std::uint32_t chunk_features(const std::uint8_t *bytes, std::size_t size, std::size_t fields) {
  return chunk_features(format::read_from(bytes), size, fields);
}

void require_features(std::uint32_t features, const format::ReadChunk &read, std::size_t size, std::size_t fields) {
  if ((chunk_features(read, size, fields) & ~features) != 0)
    format::corrupt("a coding that the file header does not name as a required feature", 0);
}

void require_features(std::uint32_t features, const std::uint8_t *bytes, std::size_t size, std::size_t fields) {
  require_features(features, format::read_from(bytes), size, fields);
}

}  // namespace gpz::trajectory
