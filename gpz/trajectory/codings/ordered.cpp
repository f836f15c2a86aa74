// SPDX-License-Identifier: BSD-3-Clause
// Coding 3: values in the order of ids, each predicted from particles before it (docs/format.md, section 10).
#include "gpz/codec/ordered_codec.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {

void decode_ordered(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out) {
  codec::decode_ordered(context.ordered_shape(payload.box), payload.bytes, payload.size, out, codec::kernels(),
                        context.threads, context.wanted_blocks(core::default_block_size));
}

bool encode_ordered(const SectionSource &source, const ToBeat & /*best*/, EncodedSection &out) {
  const SectionContext &context = source.context;
  codec::encode_ordered(context.ordered_shape(source.edges), source.indices.columns(context.components()), out.payload,
                        codec::kernels(), context.threads);
  return true;
}

}  // namespace gpz::trajectory
