// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/kept_sections.hpp"

#include <algorithm>

#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/trajectory/field_references.hpp"

namespace gpz::trajectory {
namespace {

[[noreturn]] void unsupported(const char *cause) { throw Error(Status::unsupported, cause); }

// Of the fields that are named in the section from `begin` on.
void renumber(const std::vector<bool> &kept, std::vector<std::uint8_t> &bytes, std::size_t begin) {
  for (const std::size_t offset : field_references(bytes.data() + begin, bytes.size() - begin)) {
    std::uint8_t *const at = bytes.data() + begin + offset;
    const std::size_t number = format::load_little<std::uint16_t>(at);
    if (number == 0) continue;
    if (number > kept.size()) format::corrupt("a field that a section names", begin + offset);
    if (!kept[number - 1]) unsupported("a section needs a field that is left out");
    const auto before = std::count(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(number), true);
    format::store_little(at, static_cast<std::uint16_t>(before));
  }
}

}  // namespace

std::vector<std::uint8_t> kept_sections(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles,
                                        const std::vector<bool> &kept) {
  const format::OpenedChunk chunk = format::open_chunk(bytes, size, kept.size());
  if (chunk.kind == ChunkKind::difference && !kept[0])
    unsupported("differences of other fields may need those of the first one");
  if (chunk.kind == ChunkKind::ordered && !kept[chunk.identity])
    unsupported("the particles are in the order of ids that are left out");

  const std::size_t lengths_at = format::section_length_at(chunk.kind, 0);
  std::vector<std::uint8_t> out(bytes, bytes + lengths_at);
  const auto append = [&](std::size_t at, std::size_t count) { out.insert(out.end(), bytes + at, bytes + at + count); };
  for (std::size_t f = 0; f < kept.size(); ++f)
    if (kept[f]) append(format::section_length_at(chunk.kind, f), format::section_length_size);
  append(chunk.slots.offset, chunk.slots.size);
  for (std::size_t f = 0; f < kept.size(); ++f) {
    if (!kept[f]) continue;
    const std::size_t begin = out.size();
    append(chunk.sections[f].offset, chunk.sections[f].size);
    if (chunk.kind != ChunkKind::block) renumber(kept, out, begin);
  }
  if (chunk.kind == ChunkKind::ordered) {
    const auto before = std::count(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(chunk.identity), true);
    format::store_little(out.data() + format::identity_field_at, static_cast<std::uint64_t>(before));
  }
  const bool has_own_limit = chunk.kind != ChunkKind::block && chunk.kind != ChunkKind::difference;
  if (has_own_limit && !format::plausible_particle_count(particles, out.size()))
    unsupported("too few bytes are left for so many particles");
  if (chunk.arriving != 0) {
    const std::uint8_t *const arrivals = bytes + chunk.arrivals.offset;
    if (chunk_kind(arrivals, chunk.arrivals.size) != ChunkKind::block)
      format::corrupt("kind of the chunk of arrivals", chunk.arrivals.offset);
    const std::vector<std::uint8_t> nested = kept_sections(arrivals, chunk.arrivals.size, particles, kept);
    out.insert(out.end(), nested.begin(), nested.end());
    format::set_arrivals_length(out, nested.size());
  }
  return out;
}

}  // namespace gpz::trajectory
