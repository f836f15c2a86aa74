// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/independent_chunk.hpp"

#include <cstring>

#include "gpz/error.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/codings.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::trajectory {

using format::located;

IndependentChunk::IndependentChunk(format::OpenedChunk chunk, std::uint64_t particles, const std::vector<Field> &fields,
                                   const std::vector<bool> &wanted)
    : fields_(&fields), particles_(particles), chunk_(std::move(chunk)) {
  if (chunk_.rule.population == format::Population::followed)
    format::corrupt("a difference chunk where an independent chunk is expected", format::chunk_kind_at);
  format::check_particles(chunk_, particles);
  if (reinterpret_cast<std::uintptr_t>(chunk_.bytes) % alignof(std::uint32_t) != 0) {
    aligned_.resize((chunk_.size + 3) / 4);
    std::memcpy(aligned_.data(), chunk_.bytes, chunk_.size);
    chunk_.bytes = reinterpret_cast<const std::uint8_t *>(aligned_.data());
  }
  if (chunk_.rule.family == format::Family::blocks)
    blocks_ = std::make_unique<codec::Decoder>(chunk_, particles, fields, wanted);
  if (chunk_.identity != format::no_field) decode_ids();
}

const std::int64_t *IndependentChunk::integers(std::size_t field, int threads) const {
  if (field == chunk_.identity) return ids_.data();
  format::Column<std::int64_t> &column = integers_[field];
  if (column.empty()) {
    column.resize(static_cast<std::size_t>(particles_));
    codec::Target target;
    target.components[0] = {column.data(), sizeof(std::int64_t), ConstArray::Type::int64};
    write(field, target, threads);
  }
  return column.data();
}

template <typename Read>
void IndependentChunk::in_section(std::size_t field, int threads, Indices &memory, const codec::Target *only,
                                  const Read &read) const {
  const bool is_identity = field == chunk_.identity;
  SectionContext context{(*fields_)[field], static_cast<std::size_t>(particles_)};
  if (chunk_.identity != format::no_field && !is_identity) context.ids = &ids_;
  OtherFields others(*fields_, field, [&](std::size_t other) { return integers(other, threads); });
  context.others = &others;
  context.threads = threads;
  context.only = only;
  const FieldClass of = is_identity ? identity : class_of(context.field);
  const format::Span span = chunk_.sections[field];
  located(span.offset, [&] {
    read(context, open_section(chunk_.rule.kind, context, of, chunk_.section(field), span.size, memory.exact));
  });
}

void IndependentChunk::decode_ids() {
  const Field &field = (*fields_)[chunk_.identity];
  if (field.type != ValueType::integer || field.components.size() != 1)
    format::corrupt("field of the ids", format::identity_field_at);
  Indices indices;
  in_section(chunk_.identity, 1, indices, nullptr, [&](const SectionContext &context, const OpenedSection &section) {
    decode_indices(context, section, indices);
  });
  ids_ = std::move(indices.column[0]);
}

void IndependentChunk::write(std::size_t field, const codec::Target &target, int threads, lanes::State *steps) const {
  Indices memory;
  write(field, target, threads, memory, steps);
}

void IndependentChunk::write(std::size_t field, const codec::Target &target, int threads, Indices &memory,
                             lanes::State *steps) const {
  if (blocks_ != nullptr)
    blocks_->decode(field, target, threads);
  else if (field == chunk_.identity)
    codec::store(codec::IntegerValues{ids_.data()}, ids_.size(), target);
  else
    in_section(field, threads, memory, &target, [&](const SectionContext &context, const OpenedSection &section) {
      SectionContext with_state = context;
      with_state.steps = steps;
      decode_values(with_state, section, memory, target);
    });
}

bool IndependentChunk::load(std::size_t field, int threads, Indices &indices, lanes::State *steps) const {
  if (blocks_ != nullptr || format::is_plain((*fields_)[field])) return false;
  bool has_indices = false;
  in_section(field, threads, indices, nullptr, [&](const SectionContext &context, const OpenedSection &section) {
    has_indices = section.coding->has_indices;
    if (!has_indices) return;
    SectionContext with_state = context;
    with_state.steps = steps;
    decode_indices(with_state, section, indices);
    indices.take_decoded(context.field, context.particles, threads);
  });
  return has_indices;
}

bool IndependentChunk::is_in_steps(std::size_t field) const {
  return blocks_ == nullptr && chunk_.sections[field].size != 0 && chunk_.section(field)[0] == format::steps;
}

bool leads_in_steps(const EncodedChunk &chunk, std::uint64_t particles, const std::vector<Field> &fields) {
  const format::OpenedChunk opened = format::open_chunk(chunk.bytes.data(), chunk.bytes.size(), fields.size());
  return IndependentChunk(opened, particles, fields, {}).is_in_steps(0);
}

bool IndependentChunk::decodes_blocks(std::size_t field) const {
  if (blocks_ != nullptr) return true;
  if (field == chunk_.identity) return false;
  bool does = false;
  Indices memory;
  in_section(field, 1, memory, nullptr, [&](const SectionContext & /*context*/, const OpenedSection &section) {
    does = section.coding->decodes_blocks;
  });
  return does;
}

}  // namespace gpz::trajectory
