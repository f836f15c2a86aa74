// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/kept_sections.hpp"

#include <algorithm>

#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {
namespace {

[[noreturn]] void unsupported(const char *cause) { throw Error(Status::unsupported, cause); }

std::uint64_t count_before(const std::vector<bool> &kept, std::size_t field) {
  return static_cast<std::uint64_t>(std::count(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(field), true));
}

// In the section at `begin`, replaces numbers of fields by their numbers among the kept fields.
void renumber(ChunkKind kind, const std::vector<bool> &kept, std::vector<std::uint8_t> &bytes, std::size_t begin) {
  if (bytes.size() == begin || !format::allows_coding(kind, bytes[begin], any_field)) return;
  const Coding &coding = coding_of(static_cast<format::FieldCodingKind>(bytes[begin]));
  if (coding.fields_named == nullptr) return;
  for (const std::size_t offset : coding.fields_named(bytes.data() + begin, bytes.size() - begin)) {
    if (offset + sizeof(std::uint16_t) > bytes.size() - begin)
      format::corrupt("a section that ends before the fields that it names", bytes.size() - begin);
    std::uint8_t *const at = bytes.data() + begin + offset;
    const std::size_t number = format::load_little<std::uint16_t>(at);
    if (number == 0) continue;
    if (number > kept.size()) format::corrupt("a field that a section names", begin + offset);
    if (!kept[number - 1]) unsupported("a section needs a field that is left out");
    format::store_little(at, static_cast<std::uint16_t>(count_before(kept, number)));
  }
}

}  // namespace

std::vector<std::uint8_t> kept_sections(const format::OpenedChunk &chunk, std::uint64_t particles,
                                        const std::vector<bool> &kept) {
  const ChunkKind kind = chunk.rule.kind;
  if (chunk.rule.population == format::Population::followed && !kept[0])
    unsupported("differences of other fields may need those of the first one");
  const bool has_identity = chunk.identity != format::no_field;
  if (has_identity && !kept[chunk.identity]) unsupported("the particles are in the order of ids that are left out");

  std::vector<std::uint8_t> out(chunk.bytes, chunk.bytes + format::section_length_at(kind, 0));
  const auto append = [&](std::size_t at, std::size_t count) {
    out.insert(out.end(), chunk.bytes + at, chunk.bytes + at + count);
  };
  for (std::size_t f = 0; f < kept.size(); ++f)
    if (kept[f]) append(format::section_length_at(kind, f), format::section_length_size);
  append(chunk.slots.offset, chunk.slots.size);
  for (std::size_t f = 0; f < kept.size(); ++f) {
    if (!kept[f]) continue;
    const std::size_t begin = out.size();
    append(chunk.sections[f].offset, chunk.sections[f].size);
    renumber(kind, kept, out, begin);
  }
  if (has_identity) {
    const std::uint64_t before = count_before(kept, chunk.identity);
    format::store_little(out.data() + format::identity_field_at, before);
  }
  if (!format::may_have(chunk.rule, particles, out.size())) unsupported("too few bytes are left for so many particles");
  if (chunk.arriving != 0) {
    const std::vector<std::uint8_t> nested = kept_sections(format::open_arrivals(chunk), chunk.arriving, kept);
    out.insert(out.end(), nested.begin(), nested.end());
    format::set_arrivals_length(out, nested.size());
  }
  return out;
}

}  // namespace gpz::trajectory
