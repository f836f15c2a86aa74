// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/chunk_features.hpp"

#include <cstring>
#include <vector>

#include "gpz/format/bytes.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/section_head.hpp"
#include "gpz/frame.hpp"

namespace gpz::format {
namespace {

ReadChunk from_memory(const std::uint8_t *bytes) {
  return [bytes](std::uint64_t at, std::uint8_t *to, std::size_t count) { std::memcpy(to, bytes + at, count); };
}

}  // namespace

std::uint32_t chunk_features(const ReadChunk &read, std::size_t size, std::size_t fields) {
  if (size < chunk_start_size) return 0;
  std::uint8_t start[chunk_start_size];
  read(0, start, chunk_start_size);
  const auto kind = static_cast<ChunkKind>(load_little<std::uint32_t>(start + chunk_kind_at));
  if (kind == ChunkKind::cells) return feature::cell_chunks;
  if (kind == ChunkKind::sequence) return feature::sequence_chunks;
  if (kind != ChunkKind::difference && kind != ChunkKind::ordered) return 0;
  const std::size_t head_size = chunk_head_size(kind, fields);
  if (size < head_size) return 0;
  std::vector<std::uint8_t> head(head_size);
  read(0, head.data(), head_size);

  // What lies in front of the sections, the leaving particles, has no length of its own: from the end on. A chunk of
  // arrivals needs nothing.
  std::uint64_t end = size;
  if (kind == ChunkKind::difference) {
    const auto arrivals = load_little<std::uint64_t>(head.data() + arrivals_length_at);
    if (arrivals > end) return 0;
    end -= arrivals;
  }
  const FieldCodingKind modelled = kind == ChunkKind::difference ? modelled_values : modelled_order;
  for (std::size_t f = fields; f-- > 0;) {
    const auto length = load_little<std::uint64_t>(head.data() + section_length_at(kind, f));
    if (length > end) return 0;
    end -= length;
    if (length == 0) continue;
    std::uint8_t coding = 0;
    read(static_cast<std::size_t>(end), &coding, 1);
    if (coding == modelled) return feature::modelled_sections;
  }
  return 0;
}

std::uint32_t chunk_features(const std::uint8_t *bytes, std::size_t size, std::size_t fields) {
  return chunk_features(from_memory(bytes), size, fields);
}

void require_features(std::uint32_t features, const ReadChunk &read, std::size_t size, std::size_t fields) {
  if ((chunk_features(read, size, fields) & ~features) != 0)
    corrupt("a coding that the file header does not name as a required feature", 0);
}

void require_features(std::uint32_t features, const std::uint8_t *bytes, std::size_t size, std::size_t fields) {
  require_features(features, from_memory(bytes), size, fields);
}

}  // namespace gpz::format
