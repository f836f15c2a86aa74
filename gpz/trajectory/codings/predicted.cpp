// SPDX-License-Identifier: BSD-3-Clause
// Coding 1: residuals of a prediction from earlier frames (docs/format.md, section 9).
#include "gpz/codec/difference_codec.hpp"
#include "gpz/core/difference_section.hpp"
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
                           codec::kernels(), source.may_have_neighbours, source.context.threads);
  out.from_neighbours = !out.payload.empty() && out.payload[0] == core::neighbour_predictor;
  return true;
}

}  // namespace gpz::trajectory
