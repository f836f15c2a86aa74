// SPDX-License-Identifier: BSD-3-Clause
// Coding 9: positions of molecules (docs/format.md, section 9c).
#include "gpz/format/corrupt.hpp"
#include "gpz/molecule/section.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {

void decode_molecules(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out) {
  if (context.components() != core::max_components) format::corrupt("molecules in less than three dimensions", 0);
  molecule::decode(context.modelled->molecules, *context.state, payload.bytes, payload.size, payload.box,
                   context.threads, out);
}

bool encode_molecules(const SectionSource &source, const ToBeat & /*best*/, EncodedSection &out) {
  const SectionContext &context = source.context;
  model::MoleculeUse &use = context.modelled->search.molecules;
  if (!source.options.in_order_of_ids || context.components() != core::max_components || !use.may_try()) return false;
  molecule::Edges edges{source.edges};
  if (source.tilted) {
    edges.is_tilted = true;
    edges.tilted_axes = source.tilted->axes;
    edges.tilts = source.tilted->tilts;
  }
  auto update = molecule::encode(context.modelled->molecules, *context.state,
                                 source.indices.columns(context.components()), edges, out.payload);
  if (!update) {
    use.found_none();
    return false;
  }
  use.tried();
  // For molecules, the first section may be larger: its fits make all later sections smaller.
  constexpr std::size_t part_of_first = 6;
  constexpr std::size_t part_of_next = 12;
  if (update->tree && update->firmly_bound() > context.particles / 2)
    out.investment = out.payload.size() / part_of_first;
  else if (!update->tree && use.is_learning())
    out.investment = out.payload.size() / part_of_next;
  out.update.emplace();
  out.update->search = context.modelled->search;
  out.update->molecules = std::move(update);
  return true;
}

}  // namespace gpz::trajectory
