// SPDX-License-Identifier: BSD-3-Clause
// Coding 11: lossless floats that are constant, constant for each class, or of few values (docs/format.md, section
// 10g).
#include "gpz/codec/few_values.hpp"

#include <utility>

#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {
namespace {

using codec::FewValues;

constexpr std::size_t symbol_head_size = 8;

codec::FewValuesShape few_values_shape(const SectionContext &context) {
  codec::FewValuesShape shape;
  shape.particles = context.particles;
  shape.components = context.components();
  if (context.field.type == ValueType::float32) shape.largest_key = UINT32_MAX;
  return shape;
}

void expect_last(const SectionContext &context, codec::FewValuesShape &shape) {
  for (std::size_t d = 0; d < shape.components; ++d) shape.last[d] = context.state->axes[d].last.data();
}

std::vector<std::uint8_t> few_values_head(FewValues kind, std::size_t class_field) {
  std::vector<std::uint8_t> bytes;
  format::ByteWriter writer(bytes);
  writer.u8(static_cast<std::uint8_t>(kind));
  writer.u8(0);
  writer.u16(static_cast<std::uint16_t>(class_field));
  writer.u32(0);
  return bytes;
}

}  // namespace

void decode_few_values(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out) {
  format::ByteReader in(payload.bytes, payload.size);
  const auto kind = static_cast<FewValues>(in.u8());
  const bool is_zero = in.u8() == 0;
  const std::size_t class_field = in.u16();
  if (!is_zero || in.u32() != 0) format::corrupt("reserved bytes of a section of few values", 0);
  codec::FewValuesShape shape = few_values_shape(context);
  if (class_field != 0) shape.classes = context.others->classes(class_field - 1);
  const std::uint8_t *const bytes = payload.bytes + symbol_head_size;
  const std::size_t size = payload.size - symbol_head_size;
  if (kind == FewValues::of_class) {
    codec::decode_values_of_classes(shape, bytes, size, out);
  } else if (kind == FewValues::symbols || (kind == FewValues::repeated && context.state != nullptr)) {
    if (kind == FewValues::repeated) expect_last(context, shape);
    codec::decode_symbols(shape, bytes, size, out);
  } else {
    format::corrupt("kind of a section of few values", 0);
  }
}

std::vector<std::size_t> fields_of_few_values(const std::uint8_t * /*section*/, std::size_t /*size*/) {
  return {format::field_coding_size + 2};
}

bool encode_few_values(const SectionSource &source, const ToBeat & /*best*/, EncodedSection &out) {
  const SectionContext &context = source.context;
  if (context.field.leading) return false;  // positions have few distinct values only in frames of few particles
  const codec::IndexColumns keys = source.indices.columns(context.components());
  // 1 + number of a field of classes; 0: none.
  std::vector<std::size_t> class_fields{0};
  for (std::size_t f = 0; f < context.others->own(); ++f)
    if (may_be_classes(context.others->fields()[f])) class_fields.push_back(f + 1);
  const auto with_classes = [&](std::size_t field) {
    codec::FewValuesShape shape = few_values_shape(context);
    if (field != 0) shape.classes = context.others->classes(field - 1);
    return shape;
  };
  const auto keep_smaller = [&](std::vector<std::uint8_t> &&bytes) {
    if (out.payload.empty() || bytes.size() < out.payload.size()) out.payload = std::move(bytes);
  };
  for (const std::size_t field : class_fields) {
    std::vector<std::uint8_t> bytes = few_values_head(FewValues::of_class, field);
    if (codec::encode_values_of_classes(with_classes(field), keys, bytes)) keep_smaller(std::move(bytes));
  }
  const std::size_t few_bytes = symbol_head_size + context.particles / 64;
  codec::ValueTables tables;
  if ((!out.payload.empty() && out.payload.size() <= few_bytes) || !tables.find(few_values_shape(context), keys))
    return !out.payload.empty();
  const auto try_symbols = [&](FewValues kind, std::size_t field) {
    codec::FewValuesShape shape = with_classes(field);
    if (kind == FewValues::repeated) expect_last(context, shape);
    std::vector<std::uint8_t> bytes = few_values_head(kind, field);
    tables.encode(shape, keys, bytes);
    keep_smaller(std::move(bytes));
  };
  for (const std::size_t field : class_fields) try_symbols(FewValues::symbols, field);
  if (context.state != nullptr) try_symbols(FewValues::repeated, 0);
  return true;
}

}  // namespace gpz::trajectory
