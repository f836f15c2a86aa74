// SPDX-License-Identifier: BSD-3-Clause
// Coding 1: residuals of a prediction from earlier frames (docs/format.md, section 9).
#include "gpz/codec/difference_codec.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {

void decode_predicted(const SectionContext &context, const Payload &payload, const cpu::IndexOutput &out) {
  cpu::decode_difference(*context.state, payload.bytes, payload.size, payload.box, out);
}

void follow_predicted(cpu::DifferenceState &state, const Payload &payload) {
  cpu::follow_difference(state, payload.bytes, payload.size, payload.box);
}

bool encode_predicted(const SectionSource &source, const ToBeat & /*best*/, EncodedSection &out) {
  const std::size_t components = source.context.components();
  cpu::encode_difference(*source.context.state, source.indices.columns(components), source.edges, out.payload,
                         cpu::kernels(), source.options.in_order_of_ids);
  return true;
}

}  // namespace gpz::trajectory
