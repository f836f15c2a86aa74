// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/chunk_history.hpp"

#include <utility>

#include "gpz/codec/parallel.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::trajectory {

const codec::DifferenceState *ChunkHistory::followed(std::size_t field) const {
  if (!follows(field)) throw FieldNotFollowed{field};
  require_all_slots(field);
  return &fields_[field];
}

OtherFields ChunkHistory::others(std::size_t field) const {
  return {described_, field, [this](std::size_t other) { return followed(other)->axes[0].last.data(); },
          [this](std::size_t other) { return followed(other); }};
}

void ChunkHistory::load(const IndependentChunk &chunk, std::size_t field, const codec::Target *only,
                        lanes::State *steps) {
  if (only == nullptr && chunk.load(field, threads_, indices_, steps)) return;
  indices_.load_decoded(chunk.fields()[field], static_cast<std::size_t>(chunk.particles()), threads_,
                        [&](const codec::Target &target) {
                          codec::Target to = target;
                          if (only != nullptr) {
                            to.rows = only->rows;
                            to.is_partial = true;
                          }
                          chunk.write(field, to, threads_, steps);
                        });
}

void ChunkHistory::restart() {
  started_ = false;
  for (model::ModelledState &modelled : modelled_) modelled.restart();
  classed_.clear();
  for (auto &crossings : crossings_) crossings.clear();
}

void ChunkHistory::start(const IndependentChunk &chunk, const std::vector<bool> &wanted, int threads,
                         ExactValues *exact, const codec::Target *only) {
  followed_blocks_ = {};
  if (only != nullptr) followed_blocks_ = {*only, static_cast<std::size_t>(chunk.particles())};
  threads_ = threads;
  wanted_ = wanted;
  particles_ = chunk.particles();
  described_ = chunk.fields();
  fields_.resize(described_.size());
  has_all_.assign(described_.size(), true);
  restart();
  modelled_.resize(described_.size());
  classed_.assign(described_.size(), {});
  if (exact != nullptr) exact->assign(described_.size(), {});
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    if (!follows(f)) {
      fields_[f] = {};
      continue;
    }
    has_all_[f] = only == nullptr || format::is_plain(described_[f]) || !chunk.decodes_blocks(f);
    load(chunk, f, has_all_[f] ? nullptr : only, &modelled_[f].steps);
    const std::size_t components = described_[f].components.size();
    fields_[f].start(indices_.columns(components), static_cast<std::size_t>(particles_), static_cast<int>(components),
                     format::is_plain(described_[f]), threads_);
    if (exact != nullptr) (*exact)[f] = indices_.exact;
  }
  started_ = true;
}

bool ChunkHistory::fits(const std::vector<Field> &fields) const {
  return started_ && format::have_same_grids(fields, described_);
}

void ChunkHistory::keep(const format::Column<std::uint32_t> &slots) {
  for (std::size_t f = 0; f < fields_.size(); ++f)
    if (follows(f)) {
      modelled_[f].keep(slots.data(), slots.size());
      classed_[f].keep(slots.data(), slots.size());
      fields_[f].keep(slots.data(), slots.size());
    }
  particles_ = slots.size();
}

void ChunkHistory::follow(std::size_t field, const codec::IndexColumns &indices, const core::GridBox &box,
                          Columns *columns) {
  codec::DifferenceState &state = fields_[field];
  for (std::size_t d = 0; field == 0 && d < core::max_components; ++d) {
    const core::GridAxis axis = core::checked_axis(box[d]);
    crossings_[d].clear();
    if (axis.period == 0 || !remembers_crossings_) continue;
    crossings_[d].resize(particles_);
    codec::parallel_particles(threads_, particles_, [&](std::size_t first, std::size_t last) {
      // Local pointers: a byte that is stored may be part of a vector.
      const std::int64_t *const now = indices[d];
      const std::int64_t *const before = state.axes[d].last.data();
      std::int8_t *__restrict const crossings = crossings_[d].data();
      for (std::size_t i = first; i < last; ++i) crossings[i] = core::crossing(now[i], before[i], axis);
    });
  }
  if (!modelled_[field].steps.take_rest()) return state.advance(indices, box, codec::kernels(), threads_);
  if (columns == nullptr) return state.rest(indices, threads_);
  for (std::size_t d = 0; d < static_cast<std::size_t>(state.components); ++d) state.axes[d].last.swap((*columns)[d]);
  state.rest({state.axes[0].last.data(), state.axes[1].last.data(), state.axes[2].last.data()}, threads_);
}

void ChunkHistory::follow_blocks(std::size_t field, const codec::IndexColumns &indices, const core::GridBox &box) {
  codec::DifferenceState &state = fields_[field];
  has_all_[field] = false;
  if (modelled_[field].steps.take_rest())
    state.rest(indices, threads_, followed_blocks_);
  else
    state.advance(indices, box, codec::kernels(), threads_, followed_blocks_);
}

void ChunkHistory::follow_section(std::size_t field, Follow &follow, const Payload &payload) {
  if (field == 0)
    for (auto &crossings : crossings_) crossings.clear();
  if (is_limited(field)) has_all_[field] = false;
  follow(fields_[field], payload, threads_, is_limited(field) ? followed_blocks_ : codec::WantedBlocks());
}

void ChunkHistory::follow_all_slots() {
  if (!has_all_slots()) throw AllSlotsNeeded{};
  followed_blocks_ = {};
}

void ChunkHistory::expect_crossings(std::size_t field, const format::Crossed &crossed) {
  codec::DifferenceState &state = fields_[field];
  for (std::size_t d = 0; d < static_cast<std::size_t>(state.components); ++d) {
    if (crossed[d] == 0 || crossings_[crossed[d] - 1].empty()) continue;
    const auto &crossings = crossings_[crossed[d] - 1];
    codec::parallel_particles(threads_, particles_, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        state.axes[d].last[i] = core::sum_of(state.axes[d].last[i], crossings[i]);
    });
  }
}

void ChunkHistory::add(const IndependentChunk &chunk, ExactValues *exact) {
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    if (!follows(f)) continue;
    load(chunk, f, nullptr);
    fields_[f].add(indices_.columns(described_[f].components.size()), static_cast<std::size_t>(chunk.particles()),
                   threads_);
    modelled_[f].add(static_cast<std::size_t>(chunk.particles()));
    classed_[f].add(static_cast<std::size_t>(chunk.particles()));
    if (exact == nullptr) continue;
    for (const format::ExactValue &value : indices_.exact)
      (*exact)[f].push_back({value.value_index + particles_, value.bits});
  }
  particles_ += chunk.particles();
}

std::size_t ChunkHistory::memory_usage() const {
  std::size_t bytes = 0;
  for (const codec::DifferenceState &state : fields_)
    for (const auto &axis : state.axes)
      bytes += axis.last.capacity() * sizeof(std::int64_t) +
               (axis.deviation.capacity() + axis.velocity.capacity() + axis.previous.capacity()) * sizeof(std::int32_t);
  for (const model::ModelledState &modelled : modelled_) bytes += modelled.memory_usage();
  for (const model::ClassedState &classed : classed_) bytes += classed.memory_usage();
  for (const auto &column : indices_.column) bytes += column.capacity() * sizeof(std::int64_t);
  return bytes;
}

}  // namespace gpz::trajectory
