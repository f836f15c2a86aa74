// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/gridded_chunk.hpp"

#include "gpz/codec/cell_tree.hpp"
#include "gpz/codec/lattice_code.hpp"
#include "gpz/codec/sequence_codec.hpp"
#include "gpz/core/config.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/difference_rules.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/section_lengths.hpp"
#include "gpz/trajectory/block_chunk.hpp"
#include "gpz/trajectory/located.hpp"
#include "gpz/trajectory/values.hpp"

namespace gpz::trajectory {

using format::corrupt;

namespace {

auto decoder_of(std::uint8_t kind) {
  if (kind == format::sequence_values) return cpu::decode_sequence;
  return kind == format::lattice_sites ? cpu::decode_lattice : cpu::decode_cells;
}

}  // namespace

GriddedChunk::GriddedChunk(ChunkKind kind, const std::uint8_t *bytes, std::size_t size, std::uint64_t particles,
                           const std::vector<Field> &fields)
    : kind_(kind), bytes_(bytes), fields_(&fields), particles_(static_cast<std::size_t>(particles)) {
  if (format::load_little<std::uint32_t>(bytes_) != core::default_block_size) corrupt("block size", 0);
  if (!format::plausible_particle_count(particles, size) || particles > format::max_followed)
    corrupt("more particles than a chunk of this length may have", 0);
  sections_ = format::read_sections(bytes, size, kind, fields.size());
}

void GriddedChunk::write(std::size_t field, const cpu::Target &target, int threads, Indices &indices) const {
  const format::Span section = sections_[field];
  located(section.offset,
          [&] { decode_section(field, bytes_ + section.offset, section.size, target, threads, indices); });
}

// Cell chunks have two codings besides that of blocks.
format::FieldCoding GriddedChunk::read_coding(const std::uint8_t *bytes, std::size_t size) const {
  if (kind_ == ChunkKind::sequence) return format::read_field_coding(bytes, size, format::sequence_values);
  const bool sites = size > 0 && bytes[0] == format::lattice_sites;
  return format::read_field_coding(bytes, size, sites ? format::lattice_sites : format::halved_cells);
}

void GriddedChunk::decode_section(std::size_t field, const std::uint8_t *bytes, std::size_t size,
                                  const cpu::Target &target, int threads, Indices &indices) const {
  const Field &described = (*fields_)[field];
  const format::FieldCoding coding = read_coding(bytes, size);
  bytes += format::field_coding_size;
  size -= format::field_coding_size;
  located(format::field_coding_size, [&] {
    if (coding.kind == format::block_coded_values) {
      decode_block_coded(bytes, size, particles_, described, target, threads);
      return;
    }
    if (format::is_plain(described)) corrupt("coding of a field without a grid", 0);
    if (kind_ == ChunkKind::cells && !described.leading) corrupt("coding of a field that is not a set", 0);
    format::ByteReader in(bytes, size);
    format::read_exact_values(in, described, particles_, indices.exact);
    const std::size_t components = described.components.size();
    located(in.position(), [&] {
      decoder_of(coding.kind)(bytes + in.position(), in.left(), particles_, static_cast<int>(components),
                              indices.resize(particles_, components));
    });
    write_values(described, indices.columns(components), particles_, indices.exact, target);
  });
}

}  // namespace gpz::trajectory
