// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/section_lengths.hpp"

#include <algorithm>

#include "gpz/chunk.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::format {
namespace {

// Of the chunk that begins at `start` and goes to `end`.
void add(const ReadChunk &read, std::uint64_t start, std::uint64_t end, bool may_be_difference,
         std::vector<std::uint64_t> &sizes) {
  std::uint8_t begin[chunk_start_size];
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(end - start, sizeof begin));
  read(start, begin, size);
  const ChunkKind kind = gpz::chunk_kind(begin, size);
  const bool is_difference = kind == ChunkKind::difference;
  if (is_difference && !may_be_difference) corrupt("a difference chunk of arriving particles");

  const std::size_t head_size = chunk_head_size(kind, sizes.size());
  if (head_size > end - start) corrupt("a chunk that is shorter than its head");
  std::vector<std::uint8_t> head(head_size);
  read(start, head.data(), head.size());
  ByteReader lengths(head.data() + section_length_at(kind, 0), sizes.size() * section_length_size);
  std::uint64_t left = end - start - head_size;
  for (std::uint64_t &sum : sizes) {
    const std::uint64_t length = lengths.u64();
    if (length > left) corrupt("a section that is longer than its chunk");
    left -= length;
    sum += length;
  }
  if (!is_difference) return;
  ByteReader arrivals(head.data() + arrivals_length_at, section_length_size);
  const std::uint64_t arriving = arrivals.u64();
  if (arriving > left) corrupt("arriving particles that are longer than their chunk");
  if (arriving > 0) add(read, end - arriving, end, false, sizes);
}

}  // namespace

void add_section_lengths(const ReadChunk &read, std::uint64_t length, std::vector<std::uint64_t> &sizes) {
  add(read, 0, length, true, sizes);
}

std::vector<Span> read_sections(const std::uint8_t *bytes, std::size_t size, ChunkKind kind, std::size_t fields) {
  std::size_t at = chunk_head_size(kind, fields);
  if (size < at) throw Error(Status::truncated, "chunk header", {}, size);
  std::vector<Span> sections;
  for (std::size_t f = 0; f < fields; ++f) {
    const auto length = load_little<std::uint64_t>(bytes + section_length_at(kind, f));
    if (length % 8 != 0 || length > size - at) corrupt("section length", section_length_at(kind, f));
    sections.push_back({at, static_cast<std::size_t>(length)});
    at += sections.back().size;
  }
  if (at != size) corrupt("chunk longer than its sections", at);
  return sections;
}

}  // namespace gpz::format
