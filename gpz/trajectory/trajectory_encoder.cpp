// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "gpz/error.hpp"
#include "gpz/format/allocation.hpp"
#include "gpz/format/arithmetic.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/checksum.hpp"
#include "gpz/format/chunk_features.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/difference_chunk.hpp"
#include "gpz/format/difference_rules.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/grid_box.hpp"
#include "gpz/trajectory.hpp"
#include "gpz/trajectory/block_chunk.hpp"
#include "gpz/trajectory/cell_chunk.hpp"
#include "gpz/trajectory/chunk_history.hpp"
#include "gpz/trajectory/identity.hpp"
#include "gpz/trajectory/indices.hpp"
#include "gpz/trajectory/ordered_chunk.hpp"
#include "gpz/trajectory/rows.hpp"
#include "gpz/trajectory/section_choice.hpp"
#include "gpz/trajectory/sections.hpp"
#include "gpz/trajectory/sequence_chunk.hpp"

namespace gpz {
namespace {

using trajectory::Rows;

constexpr int one_thread = 1;  // for what is decoded to start the history
using format::identity_field;
using format::no_field;

}  // namespace

bool has_identity(const std::vector<Field> &fields) { return identity_field(fields) != no_field; }

std::uint32_t features_of(Effort effort, Order order, bool ids) {
  const std::uint32_t sequence = order == Order::memory ? feature::sequence_chunks : 0;
  if (effort == Effort::dense) return feature::modelled_sections | feature::cell_chunks | sequence;
  return effort == Effort::standard && order == Order::id && ids ? feature::modelled_sections : sequence;
}

Effort effort_within(std::uint32_t features) {
  if ((features & feature::cell_chunks) != 0) return Effort::dense;
  return (features & feature::modelled_sections) != 0 ? Effort::standard : Effort::fast;
}

struct TrajectoryEncoder::State {
  explicit State(int threads) : encoder(threads) {}

  cpu::Encoder encoder;
  Order order = Order::place;
  Effort effort = default_effort;
  std::uint32_t features = feature::known;  // of the file
  trajectory::ChunkHistory history;
  std::vector<trajectory::SectionChoice> choices;  // of each field, since the independent chunk
  model::ModelledState kept;                       // of a field, while two codings compete
  trajectory::Identity identity;
  std::vector<Field> described;         // the fields of the chunk that the history starts with
  std::vector<std::uint8_t> key_chunk;  // the last independent chunk, until the history starts with it
  EncodedChunk part;                    // of a difference chunk, or the chunk it competes with
  EncodedChunk candidate;               // the chunk of another kind that a block chunk competes with
  format::KeySizes key;                 // of the last independent chunk
  bool key_is_modelled = false;
  format::Column<std::int64_t> ids;
  Rows all;                     // row of each particle
  Rows staying;                 // row of each slot
  trajectory::Indices indices;  // of a field

  void forget() {
    history.forget();
    key_chunk.clear();
  }

  // Whether codings may be used that need this feature. Without ids there are none of feature::modelled_sections.
  bool may_use(std::uint32_t feature) const { return (features_of(effort, order, true) & features & feature) != 0; }

  void encode_key(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows, const Box &box,
                  EncodedChunk &out) {
    encoder.encode(fields, particles, rows, out.bytes, out.largest_error);
    if (particles == 0 || particles > format::max_followed) return;
    const std::vector<Field> given = format::described(fields);
    const std::size_t id = identity_field(given);
    if (id != no_field && order == Order::id)
      trajectory::encode_ordered_chunk(fields, id, particles, rows, box, may_use(feature::modelled_sections), encoder,
                                       candidate);
    else if (order == Order::memory && may_use(feature::sequence_chunks) &&
             trajectory::may_be_sequence(given, particles))
      trajectory::encode_sequence_chunk(fields, particles, rows, encoder, candidate);
    else if (id == no_field && may_use(feature::cell_chunks) && trajectory::may_be_cells(given, particles))
      trajectory::encode_cell_chunk(fields, particles, rows, box, encoder, candidate);
    else
      return;
    if (candidate.bytes.size() < out.bytes.size() &&
        trajectory::plausible_particle_count(particles, candidate.bytes.size()))
      std::swap(candidate, out);
  }

  // The history will start with this chunk, if a difference chunk follows.
  void start_from(const std::vector<FieldInput> &fields, const EncodedChunk &chunk) {
    history.forget();
    choices.assign(fields.size(), {});
    identity.reset();
    described = format::described(fields);
    key_chunk.clear();
    if (!has_identity(described) || chunk.particles > format::max_followed) return;
    key_chunk = chunk.bytes;
    key.particles = chunk.particles;
    key_is_modelled = format::chunk_features(chunk.bytes.data(), chunk.bytes.size(), fields.size()) != 0;
    key.sections.assign(fields.size(), 0);
    const ChunkKind kind = chunk_kind(chunk.bytes.data(), chunk.bytes.size());
    for (std::size_t f = 0; f < fields.size(); ++f)
      key.sections[f] = format::load_little<std::uint64_t>(chunk.bytes.data() + format::section_length_at(kind, f));
  }

  bool can_follow(const std::vector<FieldInput> &fields) {
    if (!key_chunk.empty()) {
      history.start(trajectory::IndependentChunk(key_chunk.data(), key_chunk.size(), key.particles, described, {}), {},
                    one_thread);
      key.all = key_chunk.size();
      key_chunk = {};
    }
    const std::vector<Field> given = format::described(fields);
    const std::size_t id = identity_field(given);
    return id != no_field && id == identity_field(described) && history.fits(given);
  }

  // Finds which particle has which slot; false if so few have one that an independent chunk is better.
  bool match(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows) {
    trajectory::take_rows(rows, particles, all);
    const std::size_t field = identity_field(described);
    ids.resize(particles);
    trajectory::for_integers(fields[field].components[0], all, [&](std::size_t i, auto value) { ids[i] = value; });
    identity.match(history.state(field).axes[0].last, ids);
    const std::size_t stay = particles - identity.arriving().size();
    return format::enough_stay(stay, particles, history.particles());
  }

  void encode_differences(const std::vector<FieldInput> &fields, const Box &box, EncodedChunk &out) {
    std::vector<std::uint32_t> leaving;
    format::Column<std::uint32_t> slots;
    staying.clear();
    const auto &particle_of_slot = identity.particle_of_slot();
    for (std::uint32_t slot = 0; slot < particle_of_slot.size(); ++slot) {
      if (particle_of_slot[slot] == trajectory::Identity::nowhere) {
        leaving.push_back(slot);
      } else {
        slots.push_back(slot);
        staying.push_back(all[particle_of_slot[slot]]);
      }
    }
    out.bytes.clear();
    out.largest_error.assign(fields.size(), 0);
    format::append_difference_head(history.particles(), leaving, identity.arriving().size(), fields.size(), out.bytes);
    if (!leaving.empty()) history.keep(slots);

    const std::size_t id = identity_field(described);
    trajectory::append_sections(ChunkKind::difference, fields.size(), out.bytes, [&](std::size_t f) {
      if (staying.empty())
        history.follow(f, {}, {});
      else if (f != id)
        encode_section(fields, f, box, out);
    });
    if (!identity.arriving().empty()) encode_arrivals(fields, out);
    identity.renumber();
  }

  void encode_arrivals(const std::vector<FieldInput> &fields, EncodedChunk &out) {
    std::vector<int> rows;
    for (const std::uint32_t particle : identity.arriving()) rows.push_back(static_cast<int>(all[particle]));
    encoder.encode(fields, rows.size(), rows.data(), part.bytes, part.largest_error);
    out.bytes.insert(out.bytes.end(), part.bytes.begin(), part.bytes.end());
    format::set_arrivals_length(out.bytes, part.bytes.size());
    for (std::size_t f = 0; f < fields.size(); ++f)
      out.largest_error[f] = std::max(out.largest_error[f], part.largest_error[f]);
    described = format::described(fields);
    // Their order is that of the chunk.
    history.add(trajectory::IndependentChunk(part.bytes.data(), part.bytes.size(), rows.size(), described, {}),
                one_thread);
  }

  void encode_section(const std::vector<FieldInput> &fields, std::size_t f, const Box &box, EncodedChunk &out) {
    const FieldInput &input = fields[f];
    const format::Crossed crossed = f == 0 ? format::Crossed{} : format::crossed_by(fields[0].field, input.field, box);
    history.expect_crossings(f, crossed);
    const bool follows_edges = crossed != format::Crossed{};
    const cpu::DifferenceState &state = history.state(f);
    const std::size_t components = input.field.components.size();
    indices.load(input, staying, &state, out.largest_error[f]);
    const cpu::IndexColumns columns = indices.columns(components);
    const core::GridBox edges = format::grid_box(box, input.field);

    // Lossless floats that change have nothing in common with what they were.
    const bool is_lossless = input.field.type != ValueType::integer && state.plain;
    bool same = state.plain;
    for (std::size_t d = 0; d < components && same; ++d) same = indices.column[d] == state.axes[d].last;
    const std::size_t begin = out.bytes.size();
    if (is_lossless && !same) {
      encode_block_coded(input, out);
      history.follow(f, columns, {});
      return;
    }
    if (!same || follows_edges) format::append_field_coding({format::predicted_values, crossed}, out.bytes);
    if (same) {
      history.follow(f, columns, {});
      return;
    }
    // Fields of predicted floats may be modelled.
    using Try = trajectory::SectionChoice::Try;
    trajectory::SectionChoice &choice = choices[f];
    const bool may_be_modelled = !state.plain && may_use(feature::modelled_sections);
    const Try next = may_be_modelled ? choice.next() : Try::usual;
    if (next == Try::usual || !encode_modelled(f, columns, edges, begin, out)) {
      out.bytes.resize(begin);
      format::append_field_coding({format::predicted_values, crossed}, out.bytes);
      encode_predicted(columns, state, edges, out);
      if (may_be_modelled) choice.encoded(false);
    } else if (next == Try::both) {
      const bool usual_is_smaller = trajectory::replace_if_smaller(out.bytes, begin, [&] {
        format::append_field_coding({format::predicted_values, crossed}, out.bytes);
        encode_predicted(columns, state, edges, out);
      });
      if (usual_is_smaller) history.modelled(f) = std::move(kept);
      choice.encoded(!usual_is_smaller);
    } else {
      choice.encoded(true);
    }
    // The indices that the history takes are the same in both codings only if they are the values themselves.
    if (state.plain && out.bytes.size() - begin >= key.scaled(key.sections[f], staying.size()))
      trajectory::replace_if_smaller(out.bytes, begin, [&] { encode_block_coded(input, out); });
    history.follow(f, columns, edges);
  }

  // Behind the coding of the field.
  void encode_predicted(const cpu::IndexColumns &columns, const cpu::DifferenceState &state, const core::GridBox &edges,
                        EncodedChunk &out) {
    format::append_section_head(edges, static_cast<std::size_t>(state.components), indices.exact, out.bytes);
    cpu::encode_difference(state, columns, edges, out.bytes, cpu::kernels(), order == Order::id);
  }

  // The section from `begin` on in coding 4; false if models do not help. `kept` gets what models remembered before.
  bool encode_modelled(std::size_t f, const cpu::IndexColumns &columns, const core::GridBox &edges, std::size_t begin,
                       EncodedChunk &out) {
    const cpu::DifferenceState &state = history.state(f);
    out.bytes.resize(begin);
    format::append_field_coding({format::modelled_values, {}}, out.bytes);
    format::append_section_head(edges, static_cast<std::size_t>(state.components), indices.exact, out.bytes);
    model::ModelledOptions options;
    options.in_order_of_ids = order == Order::id;
    options.positions = f == 0;
    options.dense = effort == Effort::dense;
    if (choices[f].next() == trajectory::SectionChoice::Try::both) kept = history.modelled(f);
    return model::encode_modelled(state, history.modelled(f), columns, edges, options, out.bytes);
  }

  void encode_block_coded(const FieldInput &input, EncodedChunk &out) {
    format::append_field_coding({format::block_coded_values, {}}, out.bytes);
    trajectory::append_block_coded(input, staying, encoder, out.bytes);
  }

  void encode(std::vector<FieldInput> fields, std::size_t particles, const int *rows, const Box &box, bool is_key,
              EncodedChunk &out) {
    format::prepare_fields(fields, particles);
    const bool differences =
        !is_key && particles <= format::max_followed && can_follow(fields) && match(fields, particles, rows);
    bool starts_anew = !differences;
    if (differences) {
      encode_differences(fields, box, out);
      // Where the key frame is modelled as well, the first difference frames may be larger than they, until the history
      // says more: only what is much larger starts it anew.
      const std::size_t usual = key.scaled(key.all, particles);
      if (out.bytes.size() >= (key_is_modelled ? usual + usual / 4 : usual)) {
        encode_key(fields, particles, rows, box, part);
        starts_anew = part.bytes.size() <= out.bytes.size();
        if (starts_anew) std::swap(part, out);
      }
    } else {
      encode_key(fields, particles, rows, box, out);
    }
    out.particles = particles;
    out.checksum = format::xxh3(out.bytes.data(), out.bytes.size());
    if (starts_anew) start_from(fields, out);
  }
};

TrajectoryEncoder::TrajectoryEncoder(int threads) : state_(std::make_unique<State>(threads)) {}
TrajectoryEncoder::~TrajectoryEncoder() = default;
TrajectoryEncoder::TrajectoryEncoder(TrajectoryEncoder &&) noexcept = default;
TrajectoryEncoder &TrajectoryEncoder::operator=(TrajectoryEncoder &&) noexcept = default;

void TrajectoryEncoder::encode(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows,
                               const Box &box, bool key, EncodedChunk &out) {
  const format::UsualArithmetic arithmetic;
  try {
    format::in_memory([&] { state_->encode(fields, particles, rows, box, key, out); },
                      [&] { return format::no_memory("compress", particles); });
  } catch (...) {
    state_->forget();
    throw;
  }
}

void TrajectoryEncoder::set_order(Order order) { state_->order = order; }

void TrajectoryEncoder::set_effort(Effort effort, std::uint32_t features) {
  state_->effort = effort;
  state_->features = features;
}

std::size_t TrajectoryEncoder::memory_usage() const {
  std::size_t bytes = state_->identity.memory_usage() + state_->history.memory_usage();
  bytes += state_->ids.capacity() * sizeof(std::int64_t) + (state_->all.capacity() + state_->staying.capacity()) * 4;
  for (const auto &column : state_->indices.column) bytes += column.capacity() * sizeof(std::int64_t);
  return bytes + state_->part.bytes.capacity() + state_->candidate.bytes.capacity() + state_->key_chunk.capacity();
}

}  // namespace gpz
