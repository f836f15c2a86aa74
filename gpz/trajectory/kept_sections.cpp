// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/kept_sections.hpp"

#include <algorithm>

#include "gpz/chunk.hpp"
#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/trajectory/ordered_chunk.hpp"

namespace gpz::trajectory {

using format::corrupt;
using format::load_little;
using format::section_length_at;

namespace {

[[noreturn]] void unsupported(const char *cause) { throw Error(Status::unsupported, cause); }

// The lengths of the sections, for which the chunk has `room` bytes.
std::vector<std::size_t> section_lengths(const std::uint8_t *bytes, ChunkKind kind, std::size_t fields,
                                         std::size_t room) {
  std::vector<std::size_t> lengths;
  for (std::size_t f = 0; f < fields; ++f) {
    const auto length = load_little<std::uint64_t>(bytes + section_length_at(kind, f));
    if (length % 8 != 0 || length > room) corrupt("section length", section_length_at(kind, f));
    lengths.push_back(static_cast<std::size_t>(length));
    room -= lengths.back();
  }
  return lengths;
}

std::size_t sum(const std::vector<std::size_t> &lengths) {
  std::size_t total = 0;
  for (const std::size_t length : lengths) total += length;
  return total;
}

// The number of the field of the ids among the kept ones.
std::uint64_t kept_identity(std::uint64_t identity, const std::vector<bool> &kept) {
  if (identity >= kept.size()) corrupt("field of the ids", format::identity_field_at);
  if (!kept[static_cast<std::size_t>(identity)]) unsupported("the particles are in the order of ids that are left out");
  return static_cast<std::uint64_t>(
      std::count(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(identity), true));
}

}  // namespace

std::vector<std::uint8_t> kept_sections(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles,
                                        const std::vector<bool> &kept) {
  const ChunkKind kind = chunk_kind(bytes, size);
  const std::size_t head = format::chunk_head_size(kind, kept.size());
  if (size < head) throw Error(Status::truncated, "chunk header", {}, size);
  std::size_t room = size - head;
  std::size_t arrivals = 0;
  if (kind == ChunkKind::difference) {
    if (!kept[0]) unsupported("differences of other fields may need those of the first one");
    const auto length = load_little<std::uint64_t>(bytes + format::arrivals_length_at);
    if (length > room) corrupt("length of arrivals", format::arrivals_length_at);
    arrivals = static_cast<std::size_t>(length);
    room -= arrivals;
  }
  const std::vector<std::size_t> lengths = section_lengths(bytes, kind, kept.size(), room);
  // In a difference chunk, the leaving slots stand in front of the sections.
  const std::size_t before = room - sum(lengths);
  if (kind != ChunkKind::difference && before != 0) corrupt("section lengths", section_length_at(kind, 0));

  std::vector<std::uint8_t> out(bytes, bytes + section_length_at(kind, 0));
  const auto append = [&](std::size_t at, std::size_t count) { out.insert(out.end(), bytes + at, bytes + at + count); };
  for (std::size_t f = 0; f < kept.size(); ++f)
    if (kept[f]) append(section_length_at(kind, f), format::section_length_size);
  append(head, before);
  std::size_t at = head + before;
  for (std::size_t f = 0; f < kept.size(); ++f) {
    if (kept[f]) append(at, lengths[f]);
    at += lengths[f];
  }
  if (kind == ChunkKind::ordered) {
    format::store_little(out.data() + format::identity_field_at,
                         kept_identity(load_little<std::uint64_t>(bytes + format::identity_field_at), kept));
  }
  if ((kind == ChunkKind::ordered || kind == ChunkKind::cells || kind == ChunkKind::sequence) &&
      !plausible_particle_count(particles, out.size()))
    unsupported("too few bytes are left for so many particles");
  if (arrivals != 0) {
    if (chunk_kind(bytes + at, arrivals) != ChunkKind::block) corrupt("kind of the chunk of arrivals", at);
    const std::vector<std::uint8_t> nested = kept_sections(bytes + at, arrivals, particles, kept);
    out.insert(out.end(), nested.begin(), nested.end());
    format::store_little(out.data() + format::arrivals_length_at, std::uint64_t{nested.size()});
  }
  return out;
}

}  // namespace gpz::trajectory
