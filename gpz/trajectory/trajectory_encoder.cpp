// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cstring>

#include "gpz/codec/parallel.hpp"
#include "gpz/format/allocation.hpp"
#include "gpz/format/arithmetic.hpp"
#include "gpz/format/checksum.hpp"
#include "gpz/format/chunk_head.hpp"
#include "gpz/format/difference_rules.hpp"
#include "gpz/format/fields.hpp"
#include "gpz/format/grid_box.hpp"
#include "gpz/format/leaving_slots.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/model/contest.hpp"
#include "gpz/trajectory.hpp"
#include "gpz/trajectory/cell_search.hpp"
#include "gpz/trajectory/chunk_history.hpp"
#include "gpz/trajectory/difference_patience.hpp"
#include "gpz/trajectory/encoder_access.hpp"
#include "gpz/trajectory/identity.hpp"
#include "gpz/trajectory/independent_writer.hpp"
#include "gpz/trajectory/indices.hpp"
#include "gpz/trajectory/rows.hpp"
#include "gpz/trajectory/section_writer.hpp"

namespace gpz {
namespace {

using trajectory::Rows;

using format::identity_field;
using format::no_field;

}  // namespace

bool has_identity(const std::vector<Field> &fields) { return identity_field(fields) != no_field; }

struct TrajectoryEncoder::State {
  explicit State(int threads) : tools(threads) { history.key_steps(0).share(tools.plans); }
  int threads() const { return tools.encoder.threads(); }

  trajectory::EncoderTools tools;
  Order order = Order::id;
  Effort effort = default_effort;
  std::uint32_t features = feature::known;  // of the file
  trajectory::ChunkHistory history;
  std::vector<model::Contest> contests;  // of each field, since the independent chunk
  trajectory::Identity identity;
  std::vector<Field> described;         // fields of the chunk that starts the history
  std::vector<std::uint8_t> key_chunk;  // the last independent chunk, until the history is started from it
  format::OpenedChunk key_opened;
  EncodedChunk part;       // of a difference chunk, or the chunk it competes with
  EncodedChunk candidate;  // chunk of another kind, in competition with a block chunk
  format::KeySizes key;    // of the last independent chunk
  bool key_is_modelled = false;
  trajectory::DifferencePatience patience;
  bool key_repeats_ids = false;  // in the last independent chunk: no difference chunk may follow it
  format::Column<std::int64_t> ids;
  Rows staying;                // row of each slot
  std::size_t investment = 0;  // bytes of the last difference chunk that later ones use as well

  void forget() {
    history.forget();
    key_chunk.clear();
  }

  std::uint8_t settled() const {
    if (contests.empty() || !history.fits(described) || trajectory::class_of(described[0]) != trajectory::positions ||
        !contests[0].is_settled())
      return 0;
    if (!contests[0].costly_was_smaller()) {
      if (order == Order::id && !contests[0].leaves_out_neighbours()) return 0;
      return format::predicted_values;
    }
    const model::MoleculeUse &use = history.modelled(0).molecule_use;
    return use.is_settled() && use.may_try() ? format::steps : 0;
  }

  // Features allowed by both effort and file header.
  std::uint32_t usable() const { return features_of(effort, order, true) & features; }

  void encode_key(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows, const Box &box,
                  EncodedChunk &out) {
    constexpr std::size_t many = 16384;  // particles: molecules of fewer may take more bytes than all other particles
    key_repeats_ids = false;
    const std::vector<Field> given = format::described(fields);
    const auto kind = trajectory::chunk_candidate({given, particles, order, usable()});
    if (kind)
      key_repeats_ids = trajectory::encode_independent(*kind, fields, particles, rows, box, usable(), tools, candidate);
    const bool fits = kind && format::may_have(format::rule_of(*kind), particles, candidate.bytes.size());
    // A block chunk stores the order of ids as well: it is never smaller than molecules in steps.
    if (fits && particles >= many && trajectory::leads_in_steps(candidate, particles, given))
      return std::swap(candidate, out);
    tools.encoder.encode(fields, particles, rows, out.bytes, out.largest_error);
    if (order == Order::memory && format::may_start_history(given, particles)) {
      load_ids(fields, identity_field(given), particles, rows);
      key_repeats_ids = trajectory::Identity::repeats(ids);
    }
    if (!kind) return;
    // Steps of neighbours in the order of ids are smaller, and read faster, than those of neighbours in space.
    const bool has_steps = *kind == ChunkKind::ordered && (usable() & feature::steps) != 0;
    const std::size_t less = has_steps ? candidate.bytes.size() / 16 : 0;
    // Repeated ids exclude a block chunk, which would sort the particles of equal ids by position.
    if ((key_repeats_ids || candidate.bytes.size() - less < out.bytes.size()) && fits) std::swap(candidate, out);
  }

  // Keeps the chunk: the history is started from it only if a difference chunk follows.
  void start_from(const std::vector<FieldInput> &fields, const EncodedChunk &chunk) {
    history.forget();
    contests.assign(fields.size(), model::Contest());
    identity.reset();
    described = format::described(fields);
    key_chunk.clear();
    if (key_repeats_ids || !format::may_start_history(described, chunk.particles)) return;
    key_chunk = chunk.bytes;
    key_opened = format::open_chunk(key_chunk.data(), key_chunk.size(), fields.size());
    key.particles = chunk.particles;
    key_is_modelled = format::needed_features(key_opened) != 0;
    key.sections.clear();
    for (const format::Span &section : key_opened.sections) key.sections.push_back(section.size);
  }

  bool can_follow(const std::vector<FieldInput> &fields, std::size_t particles) {
    const std::vector<Field> given = format::described(fields);
    if (!format::may_follow(given, particles, described)) return false;
    if (!key_chunk.empty()) {
      history.start(trajectory::IndependentChunk(key_opened, key.particles, described, {}), {}, threads());
      key.all = key_chunk.size();
      key_chunk = {};
    }
    return history.fits(given);
  }

  void load_ids(const std::vector<FieldInput> &fields, std::size_t field, std::size_t particles, const int *rows) {
    trajectory::take_rows(rows, particles, threads(), tools.rows);
    ids.resize(particles);
    trajectory::for_integers(fields[field].components[0], tools.rows, threads(),
                             [&](std::size_t i, auto value) { ids[i] = value; });
  }

  // Assigns particles to slots. Returns false if so few have one that an independent chunk is better.
  bool match(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows) {
    const std::size_t field = identity_field(described);
    load_ids(fields, field, particles, rows);
    identity.match(history.state(field).axes[0].last, ids, threads());
    const std::size_t stay = particles - identity.arriving().size();
    return format::enough_stay(stay, particles, history.particles()) &&
           (order == Order::place || !identity.repeats_match(ids));
  }

  void encode_differences(const std::vector<FieldInput> &fields, const Box &box, EncodedChunk &out) {
    std::vector<std::uint32_t> leaving;
    format::Column<std::uint32_t> slots;
    const auto &particle_of_slot = identity.particle_of_slot();
    for (std::uint32_t slot = 0; slot < particle_of_slot.size() && !identity.all_stay(); ++slot)
      if (particle_of_slot[slot] == trajectory::Identity::nowhere) leaving.push_back(slot);
    if (!leaving.empty()) slots = format::staying_slots(leaving, particle_of_slot.size());
    staying.resize(particle_of_slot.size() - leaving.size());
    codec::parallel_particles(threads(), staying.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        staying[i] = tools.rows[particle_of_slot[leaving.empty() ? i : slots[i]]];
    });
    out.bytes.clear();
    investment = 0;
    out.largest_error.assign(fields.size(), 0);
    format::append_difference_head(history.particles(), leaving, identity.arriving().size(), fields.size(), out.bytes);
    const bool counts_crossings = std::any_of(fields.begin(), fields.end(), [&](const FieldInput &input) {
      return format::crossed_by(fields[0].field, input.field, box) != format::Crossed{};
    });
    trajectory::ChunkHistory::Step step(history, leaving.empty() ? nullptr : &slots, threads(), counts_crossings);

    const std::size_t id = identity_field(described);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const std::size_t begin = out.bytes.size();
      if (staying.empty())
        step.field(f, {}).follow({}, {});
      else if (f != id)
        encode_section(step, fields, f, box, out);
      format::set_section_length(out.bytes, ChunkKind::difference, f, out.bytes.size() - begin);
    }
    if (!identity.arriving().empty()) encode_arrivals(std::move(step), fields, out);
    identity.renumber();
  }

  void encode_arrivals(trajectory::ChunkHistory::Step &&step, const std::vector<FieldInput> &fields,
                       EncodedChunk &out) {
    std::vector<int> rows;
    for (const std::uint32_t particle : identity.arriving()) rows.push_back(static_cast<int>(tools.rows[particle]));
    tools.encoder.encode(fields, rows.size(), rows.data(), part.bytes, part.largest_error);
    out.bytes.insert(out.bytes.end(), part.bytes.begin(), part.bytes.end());
    format::set_arrivals_length(out.bytes, part.bytes.size());
    for (std::size_t f = 0; f < fields.size(); ++f)
      out.largest_error[f] = std::max(out.largest_error[f], part.largest_error[f]);
    described = format::described(fields);
    // The particles are in the order of the chunk.
    const format::OpenedChunk opened = format::open_chunk(part.bytes.data(), part.bytes.size(), fields.size());
    std::move(step).add(trajectory::IndependentChunk(opened, rows.size(), described, {}));
  }

  bool are_equal(const std::int64_t *values, const format::Column<std::int64_t> &column) const {
    std::atomic<bool> same{true};
    codec::parallel_particles(threads(), column.size(), [&](std::size_t first, std::size_t last) {
      if (!std::equal(values + first, values + last, column.data() + first)) same = false;
    });
    return same;
  }

  trajectory::FoundCell find_cell(const Field &field, const codec::IndexColumns &columns,
                                  const codec::DifferenceState &state, const Box &box) {
    codec::IndexColumns last{};
    for (std::size_t d = 0; d < field.components.size(); ++d) last[d] = state.axes[d].last.data();
    return tools.cell.find(box, field, columns, &last, staying.size());
  }

  void encode_section(trajectory::ChunkHistory::Step &frame, const std::vector<FieldInput> &fields, std::size_t f,
                      const Box &box, EncodedChunk &out) {
    const FieldInput &input = fields[f];
    const format::Crossed crossed = f == 0 ? format::Crossed{} : format::crossed_by(fields[0].field, input.field, box);
    trajectory::ChunkHistory::FieldStep step = frame.field(f, crossed);
    const codec::DifferenceState &state = history.state(f);
    const std::size_t components = input.field.components.size();
    tools.indices.load(input, staying, &state, trajectory::exact_index(usable()), threads(), out.largest_error[f]);
    const codec::IndexColumns columns = tools.indices.columns(components);
    const trajectory::FoundCell found = f == 0 && trajectory::class_of(input.field) == trajectory::positions
                                            ? find_cell(input.field, columns, state, box)
                                            : trajectory::FoundCell{format::grid_box(box, input.field), {}};

    bool same = state.plain;
    for (std::size_t d = 0; d < components && same; ++d) same = are_equal(columns[d], state.axes[d].last);
    if (same) {
      // A missing section means that no index has changed. A section of only a coding means that only crossings change
      // indices.
      if (crossed != format::Crossed{}) format::append_field_coding({format::predicted_values, crossed}, out.bytes);
      std::move(step).follow(columns, {});
      return;
    }
    trajectory::SectionContext context{input.field, staying.size()};
    context.threads = threads();
    context.state = &state;
    context.modelled = &history.modelled(f);
    context.classed = &history.classed(f);
    trajectory::OtherFields others = history.others(f);
    context.others = &others;
    trajectory::SectionSource source{context,    input,        staying,       tools.indices,
                                     found.axes, found.tilted, tools.encoder, {}};
    source.options.in_order_of_ids = order == Order::id;
    source.may_have_neighbours = order == Order::id && !contests[f].leaves_out_neighbours();
    source.options.positions = f == 0;
    source.counts_crossings = crossed != format::Crossed{};
    source.least_for_blocks = key.scaled(key.sections[f], staying.size());
    const trajectory::FieldClass field = trajectory::class_of(input.field);
    const auto candidates = trajectory::section_candidates(ChunkKind::difference, field, usable());
    const bool may_be_costly = std::any_of(candidates.begin(), candidates.end(), [](const auto &row) {
      return row.when == trajectory::SectionCandidate::costly;
    });
    using Try = model::Contest::Try;
    const Try turn = may_be_costly ? contests[f].next() : Try::usual;
    const trajectory::WrittenSection written = trajectory::append_section(candidates, source, turn, crossed, out.bytes);
    if (may_be_costly)
      contests[f].encoded({written.costly, written.was_clear, staying.size() >= model::large_section,
                           written.from_neighbours, written.was_far});
    investment += written.investment;
    std::move(step).follow(columns, written.has_axes ? found.axes : core::GridBox{});
  }

  void encode(std::vector<FieldInput> fields, std::size_t particles, const int *rows, const Box &box, bool is_key,
              EncodedChunk &out) {
    format::prepare_fields(fields, particles);
    if (is_key) {
      // Key intervals must not depend on each other, so that they can be encoded side by side.
      patience = {};
      tools.cell = {};
    }
    tools.cell.set_thorough(effort != Effort::fast);
    const bool differences = !is_key && can_follow(fields, particles) && match(fields, particles, rows) &&
                             !(key_is_modelled && patience.waits());
    bool starts_anew = !differences;
    if (differences) {
      encode_differences(fields, box, out);
      const std::size_t usual = key.scaled(key.all, particles);
      const std::size_t size = out.bytes.size() - (patience.may_invest() ? investment : 0);
      const bool is_larger = size >= usual;
      if (is_larger && !(key_is_modelled && patience.tolerates(size, usual))) {
        encode_key(fields, particles, rows, box, part);
        starts_anew = part.bytes.size() <= out.bytes.size();
        if (starts_anew) std::swap(part, out);
      }
      patience.encoded(is_larger, starts_anew);
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

void TrajectoryEncoder::set_threads(int threads) { state_->tools.encoder.set_threads(threads); }

void TrajectoryEncoder::set_order(Order order) { state_->order = order == Order::automatic ? Order::id : order; }

void TrajectoryEncoder::set_effort(Effort effort, std::uint32_t features) {
  state_->effort = effort;
  state_->features = features;
}

std::uint8_t trajectory::EncoderAccess::settled(const TrajectoryEncoder &encoder) { return encoder.state_->settled(); }
const trajectory::ChunkHistory &trajectory::EncoderAccess::history(const TrajectoryEncoder &encoder) {
  return encoder.state_->history;
}
const format::KeySizes &trajectory::EncoderAccess::key(const TrajectoryEncoder &encoder) { return encoder.state_->key; }

std::size_t TrajectoryEncoder::memory_usage() const {
  std::size_t bytes =
      state_->identity.memory_usage() + state_->history.memory_usage() + state_->tools.order.memory_usage();
  bytes +=
      state_->ids.capacity() * sizeof(std::int64_t) + (state_->tools.rows.capacity() + state_->staying.capacity()) * 4;
  for (const auto &column : state_->tools.indices.column) bytes += column.capacity() * sizeof(std::int64_t);
  return bytes + state_->part.bytes.capacity() + state_->candidate.bytes.capacity() + state_->key_chunk.capacity();
}

}  // namespace gpz
