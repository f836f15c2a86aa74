// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/opened_chunk.hpp"

#include <algorithm>
#include <cstring>

#include "gpz/core/block.hpp"
#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/difference_rules.hpp"
#include "gpz/format/leaving_slots.hpp"

namespace gpz::format {
namespace {

// What a difference chunk adds to the head.
void read_populations(ByteReader &in, OpenedChunk &chunk) {
  chunk.before = in.u64();
  chunk.leaving = in.u64();
  chunk.arriving = in.u64();
  chunk.arrivals.size = static_cast<std::size_t>(in.u64());
  if (chunk.before > UINT32_MAX)
    corrupt("more particles than differences can have", leaving_at - sizeof(std::uint64_t));
  if (chunk.leaving > chunk.before) corrupt("leaving and arriving particles", leaving_at);
}

}  // namespace

ReadChunk read_from(const std::uint8_t *bytes) {
  return [bytes](std::uint64_t at, std::uint8_t *to, std::size_t count) {
    if (count != 0) std::memcpy(to, bytes + at, count);
  };
}

OpenedChunk open_chunk(const ReadChunk &read, std::size_t size, std::size_t fields) {
  std::uint8_t start[chunk_start_size];
  read(0, start, std::min(size, sizeof start));
  OpenedChunk chunk;
  chunk.kind = chunk_kind(start, size);
  chunk.size = size;
  std::vector<std::uint8_t> head(chunk_head_size(chunk.kind, fields));
  if (size < head.size()) throw Error(Status::truncated, "chunk header", {}, size);
  read(0, head.data(), head.size());

  ByteReader in(head.data(), head.size());
  chunk.block_size = in.u32();
  in.u32();  // the kind
  const bool is_block = chunk.kind == ChunkKind::block;
  if (is_block ? !core::is_block_size(chunk.block_size) : chunk.block_size != core::default_block_size)
    corrupt("block size", 0);
  std::size_t at = head.size();
  if (chunk.kind == ChunkKind::ordered) {
    const std::uint64_t identity = in.u64();
    if (identity >= fields) corrupt("field of the ids", identity_field_at);
    chunk.identity = static_cast<std::size_t>(identity);
  } else if (chunk.kind == ChunkKind::difference) {
    read_populations(in, chunk);
    const std::uint64_t slots = leaving_slots_size(chunk.before, chunk.leaving);
    if (slots > size - at) corrupt("leaving particles exceed their chunk", at);
    chunk.slots = {at, static_cast<std::size_t>(slots)};
    at += chunk.slots.size;
  }
  for (std::size_t f = 0; f < fields; ++f) {
    const std::uint64_t length = in.u64();
    if (length % 8 != 0 || length > size - at) corrupt("section length", section_length_at(chunk.kind, f));
    chunk.sections.push_back({at, static_cast<std::size_t>(length)});
    at += chunk.sections.back().size;
  }
  if (chunk.kind != ChunkKind::difference) {
    if (at != size) corrupt("chunk longer than its sections", at);
    return chunk;
  }
  if (chunk.arrivals.size != size - at || (chunk.arrivals.size == 0) != (chunk.arriving == 0))
    corrupt("length of arrivals", arrivals_length_at);
  chunk.arrivals.offset = at;
  return chunk;
}

OpenedChunk open_chunk(const std::uint8_t *bytes, std::size_t size, std::size_t fields) {
  return open_chunk(read_from(bytes), size, fields);
}

void check_particles(const OpenedChunk &chunk, std::uint64_t particles) {
  const auto require_no_sections = [&](const char *cause) {
    for (std::size_t f = 0; f < chunk.sections.size(); ++f)
      if (chunk.sections[f].size != 0) corrupt(cause, section_length_at(chunk.kind, f));
  };
  if (chunk.kind == ChunkKind::block) {
    if (particles == 0) require_no_sections("section of an empty chunk");
  } else if (chunk.kind == ChunkKind::difference) {
    if (chunk.arriving > particles || chunk.before - chunk.leaving != particles - chunk.arriving)
      corrupt("leaving and arriving particles", leaving_at);
    if (chunk.arriving == particles) require_no_sections("section of no particles");
  } else {
    const bool is_limited = chunk.kind != ChunkKind::ordered;
    if (!plausible_particle_count(particles, chunk.size) || (is_limited && particles > max_followed))
      corrupt("more particles than a chunk of this length may have", 0);
  }
}

void check_predecessor(const OpenedChunk &chunk, std::uint64_t before) {
  if (chunk.before != before)
    corrupt("a chunk that builds on another than the one before it", leaving_at - sizeof(std::uint64_t));
}

void add_section_sizes(const ReadChunk &read, std::size_t size, std::vector<std::uint64_t> &sizes) {
  const OpenedChunk chunk = open_chunk(read, size, sizes.size());
  for (std::size_t f = 0; f < sizes.size(); ++f) sizes[f] += chunk.sections[f].size;
  if (chunk.arriving == 0) return;
  const std::size_t start = chunk.arrivals.offset;
  const ReadChunk of_arrivals = [&](std::uint64_t at, std::uint8_t *to, std::size_t count) {
    read(start + at, to, count);
  };
  std::uint8_t head[chunk_start_size];
  of_arrivals(0, head, std::min(chunk.arrivals.size, sizeof head));
  if (chunk_kind(head, chunk.arrivals.size) != ChunkKind::block) corrupt("kind of the chunk of arrivals", start);
  add_section_sizes(of_arrivals, chunk.arrivals.size, sizes);
}

}  // namespace gpz::format

namespace gpz {

ChunkKind chunk_kind(const std::uint8_t *bytes, std::size_t size) {
  if (size < format::chunk_start_size) throw Error(Status::truncated, "chunk header", {}, size);
  const auto kind = format::load_little<std::uint32_t>(bytes + format::chunk_kind_at);
  if (kind > static_cast<std::uint32_t>(ChunkKind::sequence))
    throw Error(Status::corrupt, "unknown kind of chunk", {}, format::chunk_kind_at);
  return static_cast<ChunkKind>(kind);
}

}  // namespace gpz
