// SPDX-License-Identifier: BSD-3-Clause
// Coding 13: positions of molecules (docs/format.md, section 9d).
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "gpz/format/corrupt.hpp"
#include "gpz/lanes/section.hpp"
#include "gpz/model/contest.hpp"
#include "gpz/trajectory/codings.hpp"
#include "gpz/trajectory/section_sample.hpp"

namespace gpz::trajectory {
namespace {

constexpr std::size_t molecule_tables = 4096;  // bytes of a section, about: they weigh more where particles are few

// First sections of molecules may be larger by this part: their fits make all later ones smaller.
constexpr std::size_t part_of_first = 10;

// Sample of a large chunk: ranges of slots. Molecules do not reach far: most are within a range.
constexpr std::size_t sample_ranges = 8;
constexpr std::size_t range_particles = 4096;
constexpr std::size_t least_sampled = 8 * sample_ranges * range_particles;

// True if a sample of the particles is larger as molecules than with coding 1, even if all of the investment is allowed
// that bonds may have. To find that of all particles of a liquid takes ten times as long as to encode its frame.
bool lose_in_sample(const SectionSource &section) {
  const SectionSample sample(section, sample_ranges, range_particles);
  const SectionSource &source = sample.source();
  const SectionContext &context = source.context;
  lanes::State none;
  std::vector<std::uint8_t> as_molecules;
  const auto update = lanes::encode(none, *context.state, source.indices.columns(context.components()),
                                    {source.edges, source.tilted}, as_molecules, {context.threads});
  if (!update) return true;
  std::size_t size = as_molecules.size();
  if (update->firmly_bound() > context.particles / 16) size -= size / part_of_first;
  EncodedSection predicted;
  encode_predicted(source, {}, predicted);
  return size > predicted.payload.size() + predicted.payload.size() / 64 + molecule_tables;
}

// Other fields may be predicted from the displacements of this one.
bool may_need_motion(const SectionContext &context) {
  const std::vector<Field> &fields = context.others->fields();
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (f != context.others->own() && fields[f].type != ValueType::integer) return true;
  return false;
}

// By which a section may be larger than others, which take several times as long to read.
constexpr std::size_t part_for_speed = 32;
// The same of particles without bonds, whose other coding takes twice as long.
constexpr std::size_t part_without_bonds = 128;

// Neighbours of a liquid or gas may be at any distance, and between frames that are close in time they stay there: no
// later frame profits from these bonds. Molecules repeat, or are chains of the same parts: few bits tell their bonds,
// and two of three particles of water have one. Half of the particles of a plasma do by chance.
bool is_firmly_bound(const lanes::Update &update, const SectionContext &context) {
  constexpr std::size_t most_bits_of_molecules = 3, of_few = 1024;  // a particle, and for all
  if (8 * update.molecule_bytes > most_bits_of_molecules * context.particles + of_few) return false;
  return update.models.plan == nullptr || update.firmly_bound() > context.particles / 5 * 3;
}

bool encode_key(const SectionSource &source, EncodedSection &out) {
  const SectionContext &context = source.context;
  if (context.components() != core::max_components || context.ids == nullptr) return false;
  lanes::State none;
  if (context.plans != nullptr) none.share(context.plans);
  const auto update = lanes::encode_key(none, context.particles, source.indices.columns(context.components()),
                                        {source.edges, source.tilted}, out.payload, context.threads);
  if (!update) return false;
  if (is_firmly_bound(*update, context))
    out.investment = update->lasting_bytes / 8 * 7 + out.payload.size() / part_for_speed;
  return true;
}

// Bytes of a section of difference frames that later ones use as well, or that may be spent on speed.
std::size_t investment_of(const lanes::Update &update, std::size_t size, const SectionContext &context) {
  constexpr std::size_t part_of_next = 24;
  constexpr std::size_t part_of_few = 6;  // of the first section of few particles
  const std::size_t of_models = update.lasting_bytes / 8 * 7;
  if (!lanes::have_bonds(context.modelled->steps, update)) return of_models + size / part_without_bonds;
  // Crystals have bonds as well, but gain nothing later.
  const bool is_first = update.models.plan != nullptr;
  const bool is_firm = is_firmly_bound(update, context);
  std::size_t bytes = 0;
  if (is_first && is_firm)
    bytes = std::max(size / part_of_first, std::min(size / part_of_few, molecule_tables));
  else if (!is_first && context.modelled->molecule_use.is_learning())
    bytes = size / part_of_next;
  return is_firm ? std::max(bytes, of_models) + size / part_for_speed : bytes;
}

// The first section of a key interval, with or without bonds: the smaller one.
std::optional<lanes::Update> encode_best(const SectionSource &source, std::vector<std::uint8_t> &bytes) {
  const SectionContext &context = source.context;
  lanes::State &state = context.modelled->steps;
  const model::MoleculeUse &use = context.modelled->molecule_use;
  const bool has_begun = !state.empty();
  const bool is_alone = !use.has_rivals() && !may_need_motion(context);
  const auto encode = [&](lanes::State &from, bool use_bonds, std::vector<std::uint8_t> &to) {
    const bool rests = is_alone && (has_begun ? state.learned().may_rest() : use_bonds);
    return lanes::encode(from, *context.state, source.indices.columns(context.components()),
                         {source.edges, source.tilted}, to, {context.threads, rests, use_bonds});
  };
  if (has_begun) return encode(state, true, bytes);
  auto without_bonds = encode(state, false, bytes);
  if (context.particles >= least_sampled && lose_in_sample(source)) return without_bonds;
  // The state of the section that is kept has its rows.
  lanes::State other;
  other.share(state.known_plans());
  std::vector<std::uint8_t> other_bytes;
  auto with_bonds = encode(other, true, other_bytes);
  if (!with_bonds) return without_bonds;
  // Where molecules are real, they are smaller at once, except for their tables.
  const std::size_t investment = std::min(investment_of(*with_bonds, other_bytes.size(), context), molecule_tables);
  if (without_bonds && other_bytes.size() - investment > bytes.size()) return without_bonds;
  std::swap(state, other);
  bytes = std::move(other_bytes);
  return with_bonds;
}

}  // namespace

void decode_steps(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out) {
  if (context.components() != core::max_components) format::corrupt("molecules in less than three dimensions", 0);
  if (context.state == nullptr) {
    lanes::State own;
    lanes::decode_key(context.steps != nullptr ? *context.steps : own, context.particles, payload.bytes, payload.size,
                      payload.box, context.threads, out);
    return;
  }
  lanes::decode(context.modelled->steps, *context.state, payload.bytes, payload.size, payload.box, context.threads, out,
                context.followed);
}

bool encode_steps(const SectionSource &source, const ToBeat & /*best*/, EncodedSection &out) {
  const SectionContext &context = source.context;
  if (context.state == nullptr) return encode_key(source, out);
  const model::MoleculeUse &use = context.modelled->molecule_use;
  if (!source.options.in_order_of_ids || context.components() != core::max_components || !use.may_try()) return false;
  auto update = encode_best(source, out.payload);
  out.is_hopeless = !update;
  if (!update) return false;
  out.investment = investment_of(*update, out.payload.size(), context);
  // Coding 1 predicts particles without bonds alike: its sections are nearly as large.
  out.ends_contests = !lanes::have_bonds(context.modelled->steps, *update);
  out.update.emplace();
  out.update->search = context.modelled->search;
  out.update->steps = std::move(update);
  return true;
}

// A section that lost narrowly may be the smaller one in the next frame, above all of few particles, whose tables weigh
// more. Particles without bonds, a liquid's for example, lose by more, and to try again takes ten times as long as to
// encode a frame.
void settle_steps(const SectionContext &context, const Outcome &outcome) {
  constexpr std::size_t narrow_part = 32;
  if (context.modelled == nullptr) return;  // a key frame
  model::MoleculeUse &use = context.modelled->molecule_use;
  const bool was_tried = outcome.size != SIZE_MAX;
  if (outcome.was_kept)
    use.won(outcome.was_clear, context.particles >= model::large_section);
  else
    use.lost(was_tried, outcome.kept_models,
             outcome.is_hopeless ||
                 (was_tried && outcome.size > outcome.kept + outcome.kept / narrow_part + molecule_tables));
}

}  // namespace gpz::trajectory
