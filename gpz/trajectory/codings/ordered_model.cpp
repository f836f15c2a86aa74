// SPDX-License-Identifier: BSD-3-Clause
// Coding 5: positions in the order of ids, predicted from bonds and from the structure of molecules (docs/format.md,
// section 10).
#include "gpz/model/ordered_section.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {

void decode_ordered_model(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out) {
  model::decode_ordered_model(context.ordered_shape(payload.box), payload.bytes, payload.size, out);
}

model::Bonds bonds_of_ordered_model(const SectionContext &context, const Payload &payload) {
  return model::bonds_of_ordered_model(context.ordered_shape(payload.box), payload.bytes, payload.size);
}

bool encode_ordered_model(const SectionSource &source, const ToBeat & /*best*/, EncodedSection &out) {
  const SectionContext &context = source.context;
  model::encode_ordered_model(context.ordered_shape(source.edges), source.indices.columns(context.components()),
                              context.field.leading, out.payload);
  return true;
}

}  // namespace gpz::trajectory
