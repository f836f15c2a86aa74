// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/sequence_chunk.hpp"

#include "gpz/codec/sequence_codec.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/difference_chunk.hpp"
#include "gpz/format/difference_rules.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/trajectory/block_chunk.hpp"
#include "gpz/trajectory/indices.hpp"
#include "gpz/trajectory/rows.hpp"
#include "gpz/trajectory/section_choice.hpp"
#include "gpz/trajectory/sections.hpp"

namespace gpz::trajectory {

namespace {

// Appends the indices of a field with a grid; false, and nothing, if they are no sequence.
bool append_sequence(const FieldInput &input, const Rows &rows, Indices &indices, double &largest_error,
                     std::vector<std::uint8_t> &bytes) {
  const std::size_t begin = bytes.size();
  const std::size_t components = input.field.components.size();
  indices.load(input, rows, nullptr, largest_error);
  format::append_field_coding({format::sequence_values, {}}, bytes);
  format::append_exact_values(indices.exact, bytes);
  if (cpu::encode_sequence(indices.columns(components), rows.size(), static_cast<int>(components), bytes)) return true;
  bytes.resize(begin);
  return false;
}

// Appends the section of a field.
void append_section(const FieldInput &input, const Rows &rows, cpu::Encoder &encoder, Indices &indices,
                    double &largest_error, std::vector<std::uint8_t> &bytes) {
  const std::size_t begin = bytes.size();
  const auto append_alone = [&] {
    format::append_field_coding({format::block_coded_values, {}}, bytes);
    largest_error = append_block_coded(input, rows, encoder, bytes);
  };
  if (format::is_plain(input.field) || !append_sequence(input, rows, indices, largest_error, bytes))
    append_alone();
  else if (!input.field.leading)
    replace_if_smaller(bytes, begin, append_alone);
}

}  // namespace

bool may_be_sequence(const std::vector<Field> &fields, std::uint64_t particles) {
  return particles != 0 && particles <= format::max_followed && !fields.empty() && fields[0].leading &&
         !format::is_plain(fields[0]);
}

void encode_sequence_chunk(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows,
                           cpu::Encoder &encoder, EncodedChunk &out) {
  Rows given;
  take_rows(rows, particles, given);
  out.bytes.clear();
  format::append_chunk_head(ChunkKind::sequence, {}, fields.size(), out.bytes);
  out.largest_error.assign(fields.size(), 0);
  Indices indices;
  append_sections(ChunkKind::sequence, fields.size(), out.bytes, [&](std::size_t f) {
    append_section(fields[f], given, encoder, indices, out.largest_error[f], out.bytes);
  });
  out.particles = particles;
}

}  // namespace gpz::trajectory
