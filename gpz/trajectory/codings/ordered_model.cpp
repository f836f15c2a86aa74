// SPDX-License-Identifier: BSD-3-Clause
// Codings 5 and 12: positions in the order of ids, predicted from bonds and from the structure of molecules
// (docs/format.md, sections 10b and 10j).
#include <utility>

#include "gpz/model/ordered_section.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {
namespace {

using model::OrderedStream;

void decode(const SectionContext &context, const Payload &payload, OrderedStream stream,
            const codec::IndexOutput &out) {
  model::decode_ordered_model(context.ordered_shape(payload.box), payload.bytes, payload.size, stream, context.threads,
                              out);
}

bool encode(const SectionSource &source, OrderedStream stream, EncodedSection &out) {
  const SectionContext &context = source.context;
  model::encode_ordered_model(context.ordered_shape(source.edges), source.indices.columns(context.components()),
                              context.field.leading, stream, context.threads, out.payload);
  return true;
}

}  // namespace

void decode_ordered_model(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out) {
  decode(context, payload, OrderedStream::whole, out);
}
void decode_ordered_segments(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out) {
  decode(context, payload, OrderedStream::segments, out);
}

bool encode_ordered_model(const SectionSource &source, const ToBeat & /*best*/, EncodedSection &out) {
  return encode(source, OrderedStream::whole, out);
}
bool encode_ordered_segments(const SectionSource &source, const ToBeat & /*best*/, EncodedSection &out) {
  return encode(source, OrderedStream::segments, out);
}

}  // namespace gpz::trajectory
