// SPDX-License-Identifier: BSD-3-Clause
// Coding 9: positions of molecules (docs/format.md, section 9c).
#include <algorithm>

#include "gpz/format/corrupt.hpp"
#include "gpz/molecule/section.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {
namespace {

constexpr std::size_t molecule_tables = 4096;  // bytes of a section, about: they weigh more where particles are few

}  // namespace

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
                                 source.indices.columns(context.components()), edges, out.payload, context.threads);
  if (!update) {
    use.give_up();
    return false;
  }
  use.tried();
  // For molecules, the first sections may be larger: their fits make all later ones smaller. Crystals have bonds as
  // well, which do not.
  constexpr std::size_t part_of_first = 10;
  constexpr std::size_t part_of_next = 24;
  constexpr std::size_t part_of_few = 6;  // of the first section of few particles
  const std::size_t size = out.payload.size();
  if (update->tree && update->firmly_bound() > context.particles / 2)
    out.investment = std::max(size / part_of_first, std::min(size / part_of_few, molecule_tables));
  else if (!update->tree && use.is_learning())
    out.investment = size / part_of_next;
  out.update.emplace();
  out.update->search = context.modelled->search;
  out.update->molecules = std::move(update);
  return true;
}

// A section that lost narrowly may be the smaller one in the next frame, above all of few particles, whose tables weigh
// more. Particles without bonds, a liquid's for example, lose by more, and to try again takes ten times as long as to
// encode a frame.
void lose_molecules(const SectionContext &context, std::size_t size, std::size_t best) {
  constexpr std::size_t narrow_part = 32;
  if (size > best + best / narrow_part + molecule_tables) context.modelled->search.molecules.give_up();
}

}  // namespace gpz::trajectory
