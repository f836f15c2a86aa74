// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/opened_chunk.hpp"

#include <algorithm>
#include <cstring>

#include "gpz/core/block.hpp"
#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/codings.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/leaving_slots.hpp"

namespace gpz::format {
namespace {

// Reads the items of a difference chunk's head.
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
  chunk.rule = rule_of(chunk_kind(start, size));
  chunk.read = read;
  chunk.size = size;
  std::vector<std::uint8_t> head(chunk_head_size(chunk.rule.kind, fields));
  if (size < head.size()) throw Error(Status::truncated, "chunk header", {}, size);
  read(0, head.data(), head.size());

  ByteReader in(head.data(), head.size());
  chunk.block_size = in.u32();
  in.u32();  // the kind
  const bool has_blocks = chunk.rule.family == Family::blocks;
  if (has_blocks ? !core::is_block_size(chunk.block_size) : chunk.block_size != core::default_block_size)
    corrupt("block size", 0);
  std::size_t at = head.size();
  if (chunk.rule.population == Population::by_id) {
    const std::uint64_t identity = in.u64();
    if (identity >= fields) corrupt("field of the ids", identity_field_at);
    chunk.identity = static_cast<std::size_t>(identity);
  } else if (chunk.rule.population == Population::followed) {
    read_populations(in, chunk);
    const std::uint64_t slots = leaving_slots_size(chunk.before, chunk.leaving);
    if (slots > size - at) corrupt("leaving particles exceed their chunk", at);
    chunk.slots = {at, static_cast<std::size_t>(slots)};
    at += chunk.slots.size;
  }
  for (std::size_t f = 0; f < fields; ++f) {
    const std::uint64_t length = in.u64();
    if (length % 8 != 0 || length > size - at) corrupt("section length", section_length_at(chunk.rule.kind, f));
    chunk.sections.push_back({at, static_cast<std::size_t>(length)});
    at += chunk.sections.back().size;
  }
  if (chunk.arrivals.size != size - at) corrupt("chunk longer than its parts", at);
  if ((chunk.arrivals.size == 0) != (chunk.arriving == 0)) corrupt("length of arrivals", arrivals_length_at);
  chunk.arrivals.offset = at;
  return chunk;
}

OpenedChunk open_chunk(const std::uint8_t *bytes, std::size_t size, std::size_t fields) {
  OpenedChunk chunk = open_chunk(read_from(bytes), size, fields);
  chunk.bytes = bytes;
  return chunk;
}

void require_blocks(const ChunkRule &rule) {
  if (rule.family != Family::blocks) corrupt("kind of a chunk that has to be a block chunk", chunk_kind_at);
}

OpenedChunk open_block_chunk(const std::uint8_t *bytes, std::size_t size, std::size_t fields) {
  OpenedChunk chunk = open_chunk(bytes, size, fields);
  require_blocks(chunk.rule);
  return chunk;
}

OpenedChunk open_arrivals(const OpenedChunk &chunk) {
  const std::size_t start = chunk.arrivals.offset;
  const auto read = [from = chunk.read, start](std::uint64_t at, std::uint8_t *to, std::size_t count) {
    from(start + at, to, count);
  };
  return located(start, [&] {
    OpenedChunk arrivals = open_chunk(read, chunk.arrivals.size, chunk.sections.size());
    require_blocks(arrivals.rule);
    if (chunk.bytes != nullptr) arrivals.bytes = chunk.bytes + start;
    return arrivals;
  });
}

void check_particles(const OpenedChunk &chunk, std::uint64_t particles) {
  const bool is_followed = chunk.rule.population == Population::followed;
  if (is_followed && (chunk.arriving > particles || chunk.before - chunk.leaving != particles - chunk.arriving))
    corrupt("leaving and arriving particles", leaving_at);
  if (!may_have(chunk.rule, particles, chunk.size)) corrupt("more particles than a chunk of this length may have", 0);
  for (std::size_t f = 0; f < chunk.sections.size(); ++f)
    if (particles == chunk.arriving && chunk.sections[f].size != 0)
      corrupt("section of no particles", section_length_at(chunk.rule.kind, f));
}

std::uint32_t needed_features(const OpenedChunk &chunk) {
  std::uint32_t features = chunk.rule.feature;
  for (const Span &section : chunk.sections) {
    if (section.size == 0 || chunk.rule.family == Family::blocks) continue;
    std::uint8_t number = 0;
    chunk.read(section.offset, &number, 1);
    if (allows_coding(chunk.rule.kind, number, any_field))
      features |= rule_of(static_cast<FieldCodingKind>(number)).feature;
  }
  return features;
}

std::uint32_t needed_features(const ReadChunk &read, std::size_t size, std::size_t fields) {
  try {
    return needed_features(open_chunk(read, size, fields));
  } catch (const Error &error) {
    if (error.status() != Status::corrupt && error.status() != Status::truncated) throw;
    return 0;
  }
}

void require_features(std::uint32_t named, std::uint32_t needed) {
  if ((needed & ~named) != 0) corrupt("a coding that the file header does not name as a required feature", 0);
}

void add_section_sizes(const ReadChunk &read, std::size_t size, std::vector<std::uint64_t> &sizes) {
  const auto add = [&](const OpenedChunk &chunk) {
    for (std::size_t f = 0; f < sizes.size(); ++f) sizes[f] += chunk.sections[f].size;
  };
  const OpenedChunk chunk = open_chunk(read, size, sizes.size());
  add(chunk);
  if (chunk.arriving != 0) add(open_arrivals(chunk));
}

}  // namespace gpz::format

namespace gpz {

ChunkKind chunk_kind(const std::uint8_t *bytes, std::size_t size) {
  if (size < format::chunk_start_size) throw Error(Status::truncated, "chunk header", {}, size);
  const auto kind = format::load_little<std::uint32_t>(bytes + format::chunk_kind_at);
  if (kind >= format::chunk_kinds) throw Error(Status::corrupt, "unknown kind of chunk", {}, format::chunk_kind_at);
  return static_cast<ChunkKind>(kind);
}

}  // namespace gpz
