// SPDX-License-Identifier: BSD-3-Clause
// Coding 4: residuals of models of particle motion (docs/format.md, section 9a).
#include "gpz/model/modelled_section.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {

void decode_modelled(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out) {
  model::decode_modelled(*context.state, *context.modelled, payload.bytes, payload.size, payload.box, out,
                         context.threads);
}

bool encode_modelled(const SectionSource &source, const ToBeat & /*best*/, EncodedSection &out) {
  const SectionContext &context = source.context;
  if (!context.modelled->molecule_use.has_rivals()) return false;
  model::ModelledOptions options = source.options;
  options.threads = context.threads;
  out.update = model::encode_modelled(*context.state, *context.modelled, source.indices.columns(context.components()),
                                      source.edges, options, out.payload);
  return true;
}

}  // namespace gpz::trajectory
