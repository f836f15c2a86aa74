// SPDX-License-Identifier: BSD-3-Clause
// Coding 12: values in the order of ids, in segments (docs/format.md, section 10j).
#include "gpz/model/ordered_section.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {

void decode_ordered_segments(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out) {
  model::decode_ordered_segments(context.ordered_shape(payload.box), payload.bytes, payload.size, context.threads, out);
}

bool encode_ordered_segments(const SectionSource &source, const ToBeat & /*best*/, EncodedSection &out) {
  const SectionContext &context = source.context;
  model::encode_ordered_segments(context.ordered_shape(source.edges), source.indices.columns(context.components()),
                                 context.threads, out.payload);
  return true;
}

}  // namespace gpz::trajectory
