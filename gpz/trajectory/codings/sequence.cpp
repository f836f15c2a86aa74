// SPDX-License-Identifier: BSD-3-Clause
// Coding 8: steps from one particle to the next in the order of memory (docs/format.md, section 10f).
#include "gpz/core/sequence.hpp"

#include "gpz/codec/sequence_codec.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {

void decode_sequence(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out) {
  codec::decode_sequence(payload.bytes, payload.size, context.particles, static_cast<int>(context.components()), out,
                         context.threads, context.wanted_blocks(core::sequence_block_size));
}

bool encode_sequence(const SectionSource &source, const ToBeat & /*best*/, EncodedSection &out) {
  const SectionContext &context = source.context;
  return codec::encode_sequence(source.indices.columns(context.components()), context.particles,
                                static_cast<int>(context.components()), out.payload, context.threads);
}

}  // namespace gpz::trajectory
