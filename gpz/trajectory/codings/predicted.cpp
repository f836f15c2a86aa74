// SPDX-License-Identifier: BSD-3-Clause
// Coding 1: residuals of a prediction from earlier frames (docs/format.md, section 9).
#include "gpz/codec/difference_codec.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {

void decode_predicted(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out) {
  codec::decode_difference(*context.state, payload.bytes, payload.size, payload.box, out, codec::kernels(),
                           context.threads);
}

void follow_predicted(codec::DifferenceState &state, const Payload &payload, int threads,
                      const codec::WantedBlocks &wanted) {
  codec::follow_difference(state, payload.bytes, payload.size, payload.box, codec::kernels(), threads, wanted);
}

bool encode_predicted(const SectionSource &source, const ToBeat & /*best*/, EncodedSection &out) {
  const std::size_t components = source.context.components();
  codec::encode_difference(*source.context.state, source.indices.columns(components), source.edges, out.payload,
                           codec::kernels(), source.options.in_order_of_ids, source.context.threads);
  return true;
}

}  // namespace gpz::trajectory
