// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/chunk_features.hpp"

#include "gpz/format/bytes.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/section_head.hpp"
#include "gpz/frame.hpp"

namespace gpz::format {

std::uint32_t chunk_features(const std::uint8_t *bytes, std::size_t size, std::size_t fields) {
  if (size < chunk_start_size) return 0;
  const auto kind = static_cast<ChunkKind>(load_little<std::uint32_t>(bytes + chunk_kind_at));
  if (kind == ChunkKind::cells) return feature::cell_chunks;
  if (kind == ChunkKind::sequence) return feature::sequence_chunks;
  if (kind != ChunkKind::difference && kind != ChunkKind::ordered) return 0;
  if (size < chunk_head_size(kind, fields)) return 0;

  // What lies in front of the sections, the leaving particles, has no length of its own: from the end on. A chunk of
  // arrivals needs nothing.
  std::uint64_t end = size;
  if (kind == ChunkKind::difference) {
    const auto arrivals = load_little<std::uint64_t>(bytes + arrivals_length_at);
    if (arrivals > end) return 0;
    end -= arrivals;
  }
  const FieldCodingKind modelled = kind == ChunkKind::difference ? modelled_values : modelled_order;
  for (std::size_t f = fields; f-- > 0;) {
    const auto length = load_little<std::uint64_t>(bytes + section_length_at(kind, f));
    if (length > end) return 0;
    end -= length;
    if (length != 0 && bytes[end] == modelled) return feature::modelled_sections;
  }
  return 0;
}

void require_features(std::uint32_t features, const std::uint8_t *bytes, std::size_t size, std::size_t fields) {
  if ((chunk_features(bytes, size, fields) & ~features) != 0)
    corrupt("a coding that the file header does not name as a required feature", 0);
}

}  // namespace gpz::format
