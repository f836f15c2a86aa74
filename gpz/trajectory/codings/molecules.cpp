// SPDX-License-Identifier: BSD-3-Clause
// Codings 9 and 13: positions of molecules (docs/format.md, sections 9c and 9d).
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpz/format/corrupt.hpp"
#include "gpz/lanes/section.hpp"
#include "gpz/model/contest.hpp"
#include "gpz/molecule/section.hpp"
#include "gpz/trajectory/codings.hpp"

namespace gpz::trajectory {
namespace {

// The two codings.
struct AsMolecules {
  static molecule::State &state(model::ModelledState &of) { return of.molecules; }
  static std::optional<molecule::Update> &update(model::ModelledUpdate &of) { return of.molecules; }
  static bool is_first(const molecule::Update &update) { return update.tree.has_value(); }
  static std::size_t lasting(const molecule::Update & /*update*/) { return 0; }
  static std::size_t for_speed(std::size_t /*size*/) { return 0; }
  static auto encode(molecule::State &state, const codec::DifferenceState &history, const codec::IndexColumns &q,
                     const molecule::Edges &edges, std::vector<std::uint8_t> &bytes, int threads, bool /*rests*/) {
    return molecule::encode(state, history, q, edges, bytes, threads);
  }
};
struct AsSteps {
  static lanes::State &state(model::ModelledState &of) { return of.steps; }
  static std::optional<lanes::Update> &update(model::ModelledUpdate &of) { return of.steps; }
  static bool is_first(const lanes::Update &update) { return update.models.plan != nullptr; }
  static std::size_t lasting(const lanes::Update &update) { return update.lasting_bytes; }
  // Bytes by which a section of steps may be larger than others, which take several times as long to read.
  static std::size_t for_speed(std::size_t size) { return size / 32; }
  static constexpr auto encode = lanes::encode;
};

constexpr std::size_t molecule_tables = 4096;  // bytes of a section, about: they weigh more where particles are few

// First sections of molecules may be larger by this part: their fits make all later ones smaller.
constexpr std::size_t part_of_first = 10;

molecule::Edges edges_of(const SectionSource &source) {
  molecule::Edges edges{source.edges};
  if (source.tilted) {
    edges.is_tilted = true;
    edges.tilted_axes = source.tilted->axes;
    edges.tilts = source.tilted->tilts;
  }
  return edges;
}

// Sample of a large chunk: ranges of slots. Molecules do not reach far: most are within a range.
constexpr std::size_t sample_ranges = 8;
constexpr std::size_t range_particles = 4096;
static_assert(model::large_section >= 8 * sample_ranges * range_particles);

template <typename T>
void sample(const T *from, std::size_t particles, format::Column<T> &to) {
  to.reserve(sample_ranges * range_particles);
  for (std::size_t r = 0; r < sample_ranges; ++r) {
    const T *const range = from + (particles - range_particles) * r / (sample_ranges - 1);
    to.insert(to.end(), range, range + range_particles);
  }
}

// True if a sample of the particles is larger as molecules than with coding 1, even if all of the investment is allowed
// that bonds may have. To find that of all particles of a liquid takes ten times as long as to encode its frame.
template <typename Coding>
bool lose_in_sample(const SectionSource &source) {
  const SectionContext &context = source.context;
  const std::size_t n = context.particles;
  const codec::IndexColumns columns = source.indices.columns(context.components());
  codec::DifferenceState state;
  state.components = context.state->components;
  state.particles = sample_ranges * range_particles;
  state.frames = context.state->frames;
  std::array<format::Column<std::int64_t>, core::max_components> indices;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const codec::DifferenceState::Axis &from = context.state->axes[d];
    codec::DifferenceState::Axis &to = state.axes[d];
    sample(from.last.data(), n, to.last);
    sample(from.deviation.data(), n, to.deviation);
    sample(from.velocity.data(), n, to.velocity);
    sample(from.previous.data(), n, to.previous);
    sample(columns[d], n, indices[d]);
  }
  const codec::IndexColumns q{indices[0].data(), indices[1].data(), indices[2].data()};
  std::remove_reference_t<decltype(Coding::state(*context.modelled))> none;
  std::vector<std::uint8_t> as_molecules;
  const auto update = Coding::encode(none, state, q, edges_of(source), as_molecules, context.threads, false);
  if (!update) return true;
  std::size_t size = as_molecules.size();
  if (update->firmly_bound() > state.particles / 16) size -= size / part_of_first;
  std::vector<std::uint8_t> predicted;
  codec::encode_difference(state, q, source.edges, predicted, codec::kernels(), source.options.in_order_of_ids,
                           context.threads);
  return size > predicted.size() + predicted.size() / 64 + molecule_tables;
}

template <typename Coding, typename... Also>
void decode_as(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out,
               const Also &...also) {
  if (context.components() != core::max_components) format::corrupt("molecules in less than three dimensions", 0);
  decode(Coding::state(*context.modelled), *context.state, payload.bytes, payload.size, payload.box, context.threads,
         out, also...);
}

// Other fields may be predicted from the displacements of this one.
bool may_need_motion(const SectionContext &context) {
  const std::vector<Field> &fields = context.others->fields();
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (f != context.others->own() && fields[f].type != ValueType::integer) return true;
  return false;
}

template <typename Coding>
bool encode_as(const SectionSource &source, EncodedSection &out) {
  const SectionContext &context = source.context;
  const model::MoleculeUse &use = context.modelled->molecule_use;
  if (!source.options.in_order_of_ids || context.components() != core::max_components || !use.may_try()) return false;
  if (Coding::state(*context.modelled).empty() && context.particles >= model::large_section &&
      lose_in_sample<Coding>(source)) {
    out.is_hopeless = true;
    return false;
  }
  auto update =
      Coding::encode(Coding::state(*context.modelled), *context.state, source.indices.columns(context.components()),
                     edges_of(source), out.payload, context.threads, !use.has_rivals() && !may_need_motion(context));
  out.is_hopeless = !update;
  if (!update) return false;
  // Crystals have bonds as well, but gain nothing later.
  constexpr std::size_t part_of_next = 24;
  constexpr std::size_t part_of_few = 6;  // of the first section of few particles
  const std::size_t size = out.payload.size();
  const bool is_first = Coding::is_first(*update);
  if (is_first && update->firmly_bound() > context.particles / 2)
    out.investment = std::max(size / part_of_first, std::min(size / part_of_few, molecule_tables));
  else if (!is_first && use.is_learning())
    out.investment = size / part_of_next;
  out.investment = std::max(out.investment, Coding::lasting(*update) / 8 * 7) + Coding::for_speed(size);
  out.update.emplace();
  out.update->search = context.modelled->search;
  Coding::update(*out.update) = std::move(update);
  return true;
}

}  // namespace

void decode_molecules(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out) {
  decode_as<AsMolecules>(context, payload, out);
}
void decode_steps(const SectionContext &context, const Payload &payload, const codec::IndexOutput &out) {
  decode_as<AsSteps>(context, payload, out, context.followed);
}

bool encode_molecules(const SectionSource &source, const ToBeat & /*best*/, EncodedSection &out) {
  return encode_as<AsMolecules>(source, out);
}
bool encode_steps(const SectionSource &source, const ToBeat & /*best*/, EncodedSection &out) {
  return encode_as<AsSteps>(source, out);
}

// A section that lost narrowly may be the smaller one in the next frame, above all of few particles, whose tables weigh
// more. Particles without bonds, a liquid's for example, lose by more, and to try again takes ten times as long as to
// encode a frame.
void settle_molecules(const SectionContext &context, const Outcome &outcome) {
  constexpr std::size_t narrow_part = 32;
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
