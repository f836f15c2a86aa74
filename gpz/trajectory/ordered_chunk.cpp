// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/ordered_chunk.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "gpz/cpu/ordered_codec.hpp"
#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/difference_chunk.hpp"
#include "gpz/format/grid_box.hpp"
#include "gpz/format/section_lengths.hpp"
#include "gpz/trajectory/block_chunk.hpp"
#include "gpz/trajectory/indices.hpp"
#include "gpz/trajectory/located.hpp"
#include "gpz/trajectory/values.hpp"

namespace gpz::trajectory {

using format::corrupt;

namespace {

bool is_lossless_float(const Field &field) { return field.type != ValueType::integer && field.step == 0; }

// Appends the section of one field; `ids` is empty for the ids themselves.
void append_section(const FieldInput &input, const Rows &rows, const format::Column<std::int64_t> &ids, const Box &box,
                    cpu::Encoder &encoder, Indices &indices, EncodedChunk &out, double &largest_error) {
  const std::size_t begin = out.bytes.size();
  const bool lossless_float = is_lossless_float(input.field);
  indices.load(input, rows, nullptr, largest_error);
  if (!lossless_float) {
    const core::GridBox edges = format::grid_box(box, input.field);
    const std::size_t components = input.field.components.size();
    format::append_field_coding({format::ordered_values, {}}, out.bytes);
    format::append_section_head(edges, components, indices.exact, out.bytes);
    const cpu::OrderedShape shape{rows.size(), static_cast<int>(components), ids.empty() ? nullptr : ids.data(), edges};
    cpu::encode_ordered(shape, indices.columns(components), out.bytes);
    if (input.field.leading || ids.empty()) return;
  }
  // A field whose values do not follow the order of ids may be smaller as blocks.
  std::vector<std::uint8_t> alone;
  format::append_field_coding({format::block_coded_values, {}}, alone);
  append_block_coded(input, rows, encoder, alone);
  if (!lossless_float && alone.size() >= out.bytes.size() - begin) return;
  out.bytes.resize(begin);
  out.bytes.insert(out.bytes.end(), alone.begin(), alone.end());
}

// The section of a field in the order of ids; `ids` is empty for the ids themselves.
void decode_ordered_values(const Field &field, const format::Column<std::int64_t> &ids, const std::uint8_t *bytes,
                           std::size_t size, std::size_t particles, Indices &to) {
  if (is_lossless_float(field)) corrupt("coding of a field without a grid", 0);
  core::GridBox box{};
  const std::size_t components = field.components.size();
  located(format::field_coding_size, [&] {
    const std::size_t at = format::read_section_head(bytes, size, field, particles, box, to.exact);
    const cpu::OrderedShape shape{particles, static_cast<int>(components), ids.empty() ? nullptr : ids.data(), box};
    located(at, [&] { cpu::decode_ordered(shape, bytes + at, size - at, to.resize(particles, components)); });
  });
}

}  // namespace

void encode_ordered_chunk(const std::vector<FieldInput> &fields, std::size_t identity, std::size_t particles,
                          const int *rows, const Box &box, cpu::Encoder &encoder, EncodedChunk &out) {
  Rows order(particles);
  for (std::size_t i = 0; i < particles; ++i) order[i] = static_cast<std::uint32_t>(rows == nullptr ? i : rows[i]);
  format::Column<std::int64_t> ids(particles);
  for_integers(fields[identity].components[0], order, [&](std::size_t i, auto value) { ids[i] = value; });
  std::vector<std::uint32_t> by_id(particles);
  std::iota(by_id.begin(), by_id.end(), 0u);
  std::stable_sort(by_id.begin(), by_id.end(), [&](std::uint32_t a, std::uint32_t b) { return ids[a] < ids[b]; });
  Rows sorted(particles);
  std::transform(by_id.begin(), by_id.end(), sorted.begin(), [&](std::uint32_t i) { return order[i]; });
  for_integers(fields[identity].components[0], sorted, [&](std::size_t i, auto value) { ids[i] = value; });

  out.bytes.clear();
  format::ByteWriter writer(out.bytes);
  writer.u32(core::default_block_size);
  writer.u32(static_cast<std::uint32_t>(ChunkKind::ordered));
  writer.u64(identity);
  for (std::size_t f = 0; f < fields.size(); ++f) writer.u64(0);
  out.largest_error.assign(fields.size(), 0);
  Indices indices;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const std::size_t begin = out.bytes.size();
    append_section(fields[f], sorted, f == identity ? format::Column<std::int64_t>() : ids, box, encoder, indices, out,
                   out.largest_error[f]);
    format::store_little(out.bytes.data() + format::section_length_at(ChunkKind::ordered, f),
                         std::uint64_t{out.bytes.size() - begin});
  }
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
  if (!may_be_ordered(particles_, size)) corrupt("more particles than a chunk of this length may have", 0);
}

void OrderedChunk::decode_ids() {
  const format::Span section = sections_[identity_];
  const std::uint8_t *const bytes = bytes_ + section.offset;
  if (format::read_field_coding(bytes, section.size, format::ordered_values).kind != format::ordered_values)
    corrupt("ids that are not coded in their order", 0);
  Indices indices;
  decode_ordered_values((*fields_)[identity_], {}, bytes + format::field_coding_size,
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
  const format::FieldCoding coding = format::read_field_coding(bytes, size, format::ordered_values);
  const std::uint8_t *const coded = bytes + format::field_coding_size;
  size -= format::field_coding_size;
  if (coding.kind == format::block_coded_values) {
    located(format::field_coding_size,
            [&] { decode_block_coded(coded, size, particles_, described, target, threads); });
    return;
  }
  decode_ordered_values(described, ids_, coded, size, particles_, indices);
  write_values(described, indices.columns(described.components.size()), particles_, indices.exact, target);
}

}  // namespace gpz::trajectory
