// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/ordered_chunk.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "gpz/codec/ordered_codec.hpp"
#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/difference_chunk.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/grid_box.hpp"
#include "gpz/format/section_lengths.hpp"
#include "gpz/model/ordered_section.hpp"
#include "gpz/trajectory/block_chunk.hpp"
#include "gpz/trajectory/indices.hpp"
#include "gpz/trajectory/located.hpp"
#include "gpz/trajectory/rows.hpp"
#include "gpz/trajectory/section_choice.hpp"
#include "gpz/trajectory/sections.hpp"
#include "gpz/trajectory/values.hpp"

namespace gpz::trajectory {

using format::corrupt;

namespace {

bool is_lossless_float(const Field &field) { return field.type != ValueType::integer && field.step == 0; }

cpu::OrderedShape shape_of(const Field &field, const format::Column<std::int64_t> &ids, std::size_t particles,
                           const core::GridBox &box) {
  return {particles, static_cast<int>(field.components.size()), ids.empty() ? nullptr : ids.data(), box};
}

// A section of coding 5 in place of the one that begins at `begin`, if it is smaller.
void model_section(const Field &field, const cpu::OrderedShape &shape, const Indices &indices, std::size_t begin,
                   std::vector<std::uint8_t> &out) {
  const std::size_t components = field.components.size();
  std::vector<std::uint8_t> modelled;
  format::append_field_coding({format::modelled_order, {}}, modelled);
  format::append_section_head(shape.box, components, indices.exact, modelled);
  model::encode_ordered_model(shape, indices.columns(components), field.leading, modelled);
  if (modelled.size() >= out.size() - begin) return;
  out.resize(begin);
  out.insert(out.end(), modelled.begin(), modelled.end());
}

// Appends the section of one field; `ids` is empty for the ids themselves.
void append_section(const FieldInput &input, const Rows &rows, const format::Column<std::int64_t> &ids, const Box &box,
                    bool modelled, cpu::Encoder &encoder, Indices &indices, EncodedChunk &out, double &largest_error) {
  const std::size_t begin = out.bytes.size();
  const bool lossless_float = is_lossless_float(input.field);
  indices.load(input, rows, nullptr, largest_error);
  if (!lossless_float) {
    const core::GridBox edges = format::grid_box(box, input.field);
    const std::size_t components = input.field.components.size();
    format::append_field_coding({format::ordered_values, {}}, out.bytes);
    format::append_section_head(edges, components, indices.exact, out.bytes);
    const cpu::OrderedShape shape = shape_of(input.field, ids, rows.size(), edges);
    cpu::encode_ordered(shape, indices.columns(components), out.bytes);
    if (modelled && !format::is_plain(input.field)) model_section(input.field, shape, indices, begin, out.bytes);
    if (input.field.leading || ids.empty()) return;
  }
  const auto append_alone = [&] {
    format::append_field_coding({format::block_coded_values, {}}, out.bytes);
    append_block_coded(input, rows, encoder, out.bytes);
  };
  // A field whose values do not follow the order of ids may be smaller as blocks.
  if (lossless_float)
    append_alone();
  else
    replace_if_smaller(out.bytes, begin, append_alone);
}

// The section of a field in the order of ids, behind its coding; `ids` is empty for the ids themselves.
void decode_ordered_values(const Field &field, format::FieldCodingKind coding, const format::Column<std::int64_t> &ids,
                           const std::uint8_t *bytes, std::size_t size, std::size_t particles, Indices &to) {
  if (is_lossless_float(field) || (coding == format::modelled_order && format::is_plain(field)))
    corrupt("coding of a field without a grid", 0);
  core::GridBox box{};
  const std::size_t components = field.components.size();
  located(format::field_coding_size, [&] {
    const std::size_t at = format::read_section_head(bytes, size, field, particles, box, to.exact);
    const cpu::OrderedShape shape = shape_of(field, ids, particles, box);
    const cpu::IndexOutput out = to.resize(particles, components);
    located(at, [&] {
      if (coding == format::modelled_order)
        model::decode_ordered_model(shape, bytes + at, size - at, out);
      else
        cpu::decode_ordered(shape, bytes + at, size - at, out);
    });
  });
}

}  // namespace

void encode_ordered_chunk(const std::vector<FieldInput> &fields, std::size_t identity, std::size_t particles,
                          const int *rows, const Box &box, bool modelled, cpu::Encoder &encoder, EncodedChunk &out) {
  Rows order;
  take_rows(rows, particles, order);
  format::Column<std::int64_t> ids(particles);
  for_integers(fields[identity].components[0], order, [&](std::size_t i, auto value) { ids[i] = value; });
  std::vector<std::uint32_t> by_id(particles);
  std::iota(by_id.begin(), by_id.end(), 0u);
  std::stable_sort(by_id.begin(), by_id.end(), [&](std::uint32_t a, std::uint32_t b) { return ids[a] < ids[b]; });
  Rows sorted(particles);
  std::transform(by_id.begin(), by_id.end(), sorted.begin(), [&](std::uint32_t i) { return order[i]; });
  for_integers(fields[identity].components[0], sorted, [&](std::size_t i, auto value) { ids[i] = value; });

  out.bytes.clear();
  format::append_chunk_head(ChunkKind::ordered, {identity}, fields.size(), out.bytes);
  out.largest_error.assign(fields.size(), 0);
  Indices indices;
  append_sections(ChunkKind::ordered, fields.size(), out.bytes, [&](std::size_t f) {
    append_section(fields[f], sorted, f == identity ? format::Column<std::int64_t>() : ids, box, modelled, encoder,
                   indices, out, out.largest_error[f]);
  });
  out.particles = particles;
}

OrderedChunk::OrderedChunk(const std::uint8_t *bytes, std::size_t size, std::uint64_t particles,
                           const std::vector<Field> &fields)
    : bytes_(bytes), fields_(&fields), particles_(static_cast<std::size_t>(particles)), sections_(fields.size()) {
  read_head(size);
  located(sections_[identity_].offset, [&] { decode_ids(); });
}

void OrderedChunk::read_head(std::size_t size) {
  std::vector<format::Span> sections = format::read_sections(bytes_, size, ChunkKind::ordered, sections_.size());
  if (format::load_little<std::uint32_t>(bytes_) != core::default_block_size) corrupt("block size", 0);
  const auto identity = format::load_little<std::uint64_t>(bytes_ + format::identity_field_at);
  if (identity >= sections_.size() || (*fields_)[identity].type != ValueType::integer ||
      (*fields_)[identity].components.size() != 1)
    corrupt("field of the ids", format::identity_field_at);
  identity_ = static_cast<std::size_t>(identity);
  sections_ = std::move(sections);
  if (!plausible_particle_count(particles_, size)) corrupt("more particles than a chunk of this length may have", 0);
}

void OrderedChunk::decode_ids() {
  const format::Span section = sections_[identity_];
  const std::uint8_t *const bytes = bytes_ + section.offset;
  if (format::read_field_coding(bytes, section.size, format::ordered_values).kind != format::ordered_values)
    corrupt("ids that are not coded in their order", 0);
  Indices indices;
  decode_ordered_values((*fields_)[identity_], format::ordered_values, {}, bytes + format::field_coding_size,
                        section.size - format::field_coding_size, particles_, indices);
  ids_ = std::move(indices.column[0]);
}

void OrderedChunk::write(std::size_t field, const cpu::Target &target, int threads, Indices &indices) const {
  if (field == identity_) {
    cpu::store(cpu::IntegerValues{ids_.data()}, particles_, target);
    return;
  }
  const format::Span section = sections_[field];
  located(section.offset,
          [&] { decode_section(field, bytes_ + section.offset, section.size, target, threads, indices); });
}

void OrderedChunk::decode_section(std::size_t field, const std::uint8_t *bytes, std::size_t size,
                                  const cpu::Target &target, int threads, Indices &indices) const {
  const Field &described = (*fields_)[field];
  const format::FieldCoding coding =
      format::read_field_coding(bytes, size, format::ordered_values, 0, format::modelled_order);
  const std::uint8_t *const coded = bytes + format::field_coding_size;
  size -= format::field_coding_size;
  if (coding.kind == format::block_coded_values) {
    located(format::field_coding_size,
            [&] { decode_block_coded(coded, size, particles_, described, target, threads); });
    return;
  }
  decode_ordered_values(described, coding.kind, ids_, coded, size, particles_, indices);
  write_values(described, indices.columns(described.components.size()), particles_, indices.exact, target);
}

model::Bonds OrderedChunk::bonds(std::size_t field) const {
  const format::Span section = sections_[field];
  const std::uint8_t *const bytes = bytes_ + section.offset;
  const Field &described = (*fields_)[field];
  model::Bonds bonds;
  if (section.size < format::field_coding_size || bytes[0] != format::modelled_order || format::is_plain(described))
    return bonds;
  located(section.offset + format::field_coding_size, [&] {
    core::GridBox box{};
    format::Column<format::ExactValue> exact;
    const std::uint8_t *const coded = bytes + format::field_coding_size;
    const std::size_t size = section.size - format::field_coding_size;
    const std::size_t at = format::read_section_head(coded, size, described, particles_, box, exact);
    bonds = model::bonds_of_ordered_model(shape_of(described, ids_, particles_, box), coded + at, size - at);
  });
  return bonds;
}

}  // namespace gpz::trajectory
