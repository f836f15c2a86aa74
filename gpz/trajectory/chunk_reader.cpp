// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/chunk_reader.hpp"

#include <algorithm>
#include <utility>

#include "gpz/format/corrupt.hpp"
#include "gpz/format/leaving_slots.hpp"
#include "gpz/format/opened_chunk.hpp"
#include "gpz/trajectory/section_reader.hpp"
#include "gpz/trajectory/values.hpp"

namespace gpz::trajectory {

using format::corrupt;
using format::located;

namespace {

codec::IndexColumns last_of(const codec::DifferenceState &state) {
  codec::IndexColumns out{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(state.components); ++d) out[d] = state.axes[d].last.data();
  return out;
}

}  // namespace

void ChunkReader::next(const format::OpenedChunk &chunk, std::uint64_t particles, const std::vector<Field> &fields,
                       const std::vector<bool> &wanted, int threads, const Selection *only) {
  if (chunk.rule.population == format::Population::followed) {
    if (fields.empty()) corrupt("a difference chunk without fields", 0);
    if (!history_.fits(fields)) corrupt("a difference chunk without the frame it builds on", 0);
    next_differences(chunk, particles, threads);
    return;
  }
  same_particles_ = false;
  empty_.assign(fields.size(), false);
  const IndependentChunk independent(chunk, particles, fields, wanted);
  const codec::Target slots = only == nullptr ? codec::Target() : slots_of(*only, independent, threads);
  history_.start(independent, wanted, threads, &exact_, slots.is_partial ? &slots : nullptr);
}

void ChunkReader::restart() {
  history_.restart();
  same_particles_ = false;
}

codec::Target ChunkReader::slots_of(const Selection &selection, const IndependentChunk &chunk, int threads) {
  const std::vector<Field> &fields = chunk.fields();
  selected_by_.clear();
  // A region needs the positions of all particles in each frame.
  if (selection.region || !format::has_columns(selection, fields)) return {};
  const auto particles = static_cast<std::size_t>(chunk.particles());
  selected_.choose(selection, fields, {}, particles, nullptr, [&](std::size_t field, const codec::Target &target) {
    selected_by_.push_back(field);
    chunk.write(field, target, threads);
  });
  codec::Target target;
  target.rows = selected_.rows();
  target.is_partial = true;
  const codec::WantedBlocks blocks(target, particles);
  slots_.resize(particles);
  std::size_t followed = 0;
  for (std::size_t slot = 0; slot < particles; ++slot) {
    const bool is_followed = blocks.has(slot / core::default_block_size);
    slots_[slot] = is_followed ? static_cast<std::uint32_t>(slot) : codec::no_row;
    followed += is_followed ? 1 : 0;
  }
  // Little would be gained, and the key interval decoded twice if a later frame needs all slots.
  if (followed > particles / 4 * 3) return {};
  target.rows = slots_.data();
  return target;
}

bool ChunkReader::has_same_slots(const format::OpenedChunk &chunk) const {
  const auto changes = [&](std::size_t field) { return chunk.sections[field].size != 0; };
  return chunk.keeps_particles() && std::none_of(selected_by_.begin(), selected_by_.end(), changes);
}

void ChunkReader::next_differences(const format::OpenedChunk &chunk, std::uint64_t particles, int threads) {
  const std::size_t fields = history_.fields().size();
  const format::Column<std::uint32_t> leaving =
      format::read_leaving_slots(chunk, history_.particles(), particles, chunk.bytes + chunk.slots.offset);
  if (history_.is_limited() && !has_same_slots(chunk)) history_.follow_all_slots();
  same_particles_ = chunk.keeps_particles();
  format::Column<std::uint32_t> staying;
  if (!leaving.empty()) staying = format::staying_slots(leaving, history_.particles());
  counts_crossings_ =
      chunk.may_count_crossings([&](std::size_t f) { return history_.follows(f) && history_.state(f).plain; });
  ChunkHistory::Step frame(history_, leaving.empty() ? nullptr : &staying, threads, counts_crossings_);
  for (std::size_t f = 0; f < fields; ++f) {
    const format::Span section = chunk.sections[f];
    empty_[f] = section.size == 0;
    exact_[f].clear();
    if (!history_.follows(f)) continue;
    if (empty_[f])
      follow_unchanged(f, frame.field(f, {}));
    else
      located(section.offset, [&] { decode_section(frame, f, chunk.section(f), section.size, threads); });
  }
  if (chunk.arriving == 0) return;
  const format::OpenedChunk arrivals = format::open_arrivals(chunk);
  located(chunk.arrivals.offset, [&] {
    const IndependentChunk others(arrivals, chunk.arriving, history_.fields(), history_.wanted());
    std::move(frame).add(others, &exact_);
  });
}

// Section without payload: indices change only by crossings.
void ChunkReader::follow_unchanged(std::size_t field, ChunkHistory::FieldStep step) {
  const codec::DifferenceState &state = history_.state(field);
  if (state.plain) {
    std::move(step).follow(last_of(state), {});
    return;
  }
  const std::size_t components = history_.fields()[field].components.size();
  for (std::size_t d = 0; d < components; ++d) indices_.column[d] = state.axes[d].last;
  std::move(step).follow(indices_.columns(components), {});
}

void ChunkReader::decode_section(ChunkHistory::Step &frame, std::size_t field, const std::uint8_t *bytes,
                                 std::size_t size, int threads) {
  const codec::DifferenceState &state = history_.state(field);
  SectionContext context{history_.fields()[field], state.particles};
  context.state = &state;
  context.modelled = &history_.modelled(field);
  context.classed = &history_.classed(field);
  OtherFields others = history_.others(field);
  context.others = &others;
  context.threads = threads;
  const std::size_t counting = state.plain && field != 0 ? context.components() : 0;
  const OpenedSection section =
      open_section(ChunkKind::difference, context, class_of(context.field), bytes, size, indices_.exact, counting);
  ChunkHistory::FieldStep step = frame.field(field, section.crossed);
  // Crossings are counted of all particles.
  const bool counts_these = field == 0 && counts_crossings_;
  const bool is_coding_alone = section.payload.size == 0 && section.head == format::field_coding_size;
  if (is_coding_alone && section.coding->counts_crossings) {
    follow_unchanged(field, std::move(step));
  } else if (section.coding->follow != nullptr && !counts_these) {
    located(section.head, [&] { std::move(step).follow_section(*section.coding->follow, section.payload); });
    exact_[field] = indices_.exact;
  } else if (section.coding->follows_blocks && !counts_these && history_.is_limited(field)) {
    const codec::FollowedBlocks followed = history_.followed_blocks(field);
    context.followed = &followed;
    decode_indices(context, section, indices_);
    exact_[field] = indices_.exact;
    std::move(step).follow_blocks(indices_, section.payload.box);
  } else {
    if (section.coding->number != format::block_coded_values || counts_these) history_.require_all_slots(field);
    decode_indices(context, section, indices_);
    exact_[field] = indices_.exact;
    std::move(step).follow(indices_, section.payload.box);
  }
}

void ChunkReader::write(std::size_t field, const codec::Target &target, int threads) const {
  const codec::DifferenceState &state = history_.state(field);
  const codec::WantedBlocks all;
  write_values(history_.fields()[field], last_of(state), state.particles, exact_[field], target, threads,
               target.is_partial ? history_.followed_blocks(field).blocks : all);
}

}  // namespace gpz::trajectory
