// SPDX-License-Identifier: BSD-3-Clause
// Coding 10: values predicted from the history of several fields, by class (docs/format.md, section 10i).
#include <utility>

#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/model/classed_choice.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {
namespace {

model::ClassedShape classed_shape(const SectionContext &context) {
  return {context.particles, context.components(), context.state, context.classed, context.threads};
}

}  // namespace

void decode_classed(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out) {
  format::ByteReader in(payload.bytes, payload.size);
  model::ClassedHead head;
  head.read(in);
  model::ClassedSources sources;
  if (head.class_field != 0) sources.classes = context.others->classes(head.class_field - 1);
  for (const std::uint16_t field : head.fields) sources.fields.push_back(&context.others->history(field));
  model::ClassedUpdate update;
  model::decode_classed(classed_shape(context), head, sources, in, out, update);
  if (context.classed != nullptr) context.classed->commit(std::move(update));
}

std::vector<std::size_t> fields_of_classed(const std::uint8_t *section, std::size_t size) {
  format::ByteReader in(section, size);
  in.take(format::field_coding_size);
  const std::uint64_t exact = in.u64();
  if (exact > in.left() / format::exact_value_size) format::corrupt("number of exact values", in.position());
  in.take(static_cast<std::size_t>(exact) * format::exact_value_size + 3);
  const std::size_t sources = in.u8();
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k <= sources; ++k) found.push_back(in.position() + k * sizeof(std::uint16_t));
  return found;
}

bool encode_classed(const SectionSource &source, const ToBeat & /*best*/, EncodedSection &out) {
  if (source.counts_crossings) return false;
  const SectionContext &context = source.context;
  OtherFields &others = *context.others;
  model::ClassedCandidates candidates;
  candidates.own = others.own();
  for (std::size_t f = 0; f < others.fields().size(); ++f) {
    const Field &field = others.fields()[f];
    if (f < others.own() && may_be_classes(field)) candidates.classes.push_back({f, others.classes(f)});
    if (f != others.own() && context.state != nullptr && (class_of(field) & on_grid) != 0)
      candidates.fields.push_back({f, &others.history(f), field.leading});
  }
  const codec::IndexColumns q = source.indices.columns(context.components());
  const model::ClassedShape shape = classed_shape(context);
  model::ClassedChoice choice = model::choose_classed(shape, candidates, q);
  model::ClassedUpdate update;
  format::ByteWriter writer(out.payload);
  choice.head.append(writer);
  model::append_classed(shape, choice.head, choice.rules, choice.sources, q, update, out.payload);
  if (context.classed == nullptr) return true;
  if (choice.head.has_rules) update.rules = std::move(choice.rules);
  update.search = std::move(choice.search);
  out.classed = std::move(update);
  return true;
}

}  // namespace gpz::trajectory
