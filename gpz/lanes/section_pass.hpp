// SPDX-License-Identifier: BSD-3-Clause
// The part of a section of steps that encoder and decoder share: slots of particles, their rows, and the update that
// the section makes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "gpz/codec/memory.hpp"
#include "gpz/codec/parallel.hpp"
#include "gpz/core/step_motion.hpp"
#include "gpz/lanes/section.hpp"
#include "gpz/lanes/templates.hpp"

namespace gpz::lanes {

class SectionPass {
 public:
  // `history`: nullptr in a key frame.
  SectionPass(State &state, std::size_t particles, const codec::DifferenceState *history, int threads,
              const codec::FollowedBlocks *followed)
      : state_(state), particles_(particles), history_(history), threads_(threads), followed_(followed) {
    update_.is_key = history == nullptr;
    update_.frames = update_.is_key ? 1 : history->frames + 1;
  }

  Update &&update() { return std::move(update_); }

 protected:
  bool is_key() const { return update_.is_key; }
  unsigned next() const { return 4 - state_.now_; }
  const Layout &layout() const { return models_.plan->layout; }
  bool have_bonds() const { return models_.plan->molecules.have_bonds(); }
  std::size_t columns_of_means() const { return models_.plan->molecules.columns_of_means(); }
  // Calls work(block) on several threads, for all blocks or those that are followed.
  template <typename Work>
  void for_blocks(const Work &work) const {
    const format::Column<std::uint32_t> *const some = followed_ != nullptr ? &state_.followed_blocks_ : nullptr;
    const std::size_t blocks = some != nullptr ? some->size() : layout().blocks().size();
    codec::parallel_ranges(codec::thread_count(threads_, blocks), blocks,
                           [&](int, std::uint64_t from, std::uint64_t to) {
                             for (auto k = static_cast<std::size_t>(from); k < to; ++k)
                               work(some != nullptr ? (*some)[k] : k);
                           });
  }
  // Calls work(slot, particle) for the slots of a block in which a particle is.
  template <typename Work>
  void for_slots(std::size_t block, const Work &work) const {
    const Layout::Block of = layout().blocks()[block];
    const auto &particle_at = layout().particle_at();
    for (std::size_t s = of.first * core::step_lanes; s < of.end * core::step_lanes; ++s)
      if (particle_at[s] != Layout::nobody) work(s, particle_at[s]);
  }
  std::int32_t *row(std::size_t slot, unsigned frame) { return state_.rows_.data() + 8 * slot + frame; }

  codec::IndexColumns last_indices() const {
    return {history_->axes[0].last.data(), history_->axes[1].last.data(), history_->axes[2].last.data()};
  }
  codec::StepTable table_with(Numbers &numbers) const {
    codec::StepTable table =
        layout().table(numbers.columns_for(*models_.plan, is_key() ? &templates_.heading : nullptr));
    if (is_key()) table.key_root = templates_.root.data();
    return table;
  }

  // Rows of the frame before. Those of the last section, if it was that of the last frame; otherwise molecules are made
  // whole.
  void start() {
    const std::size_t slots = layout().slots();
    if (update_.models.plan == nullptr && state_.frames_ == history_->frames) return;
    if (followed_ != nullptr && !followed_->has_all) throw codec::AllSlotsNeeded{};
    codec::resize(state_.rows_, 8 * slots, threads_);
    // A new plan moves particles to other slots: their rows and means in the state are computed again, also if the
    // update is dropped.
    state_.frames_ = 0;
    if (!have_bonds())
      start_motions();
    else if (update_.models.plan != nullptr || state_.means_.size() != slots * core::step_means)
      state_.means_.assign(slots * core::step_means, 0.0F);
    const codec::IndexColumns last = last_indices();
    const unsigned frame = state_.now_;
    const codec::StepTable table = layout().table(nullptr);
    for_blocks([&](std::size_t b) {
      for_slots(b, [&](std::size_t s, std::uint32_t i) {
        const GridVector position = position_of(last, i);
        if (table.steps[s / core::step_lanes].kind == core::StepKind::root)
          return store_row(row(s, frame), position, {});
        const std::size_t parent = table.parent[s] / 8;
        GridVector vector = molecule::difference_of(position, position_of(last, layout().particle_at()[parent]));
        const Image image = cell_.shorten(vector);
        store_row(row(s, frame), molecule::sum_of(position_in(row(parent, frame)), vector),
                  sum_of(image_in(row(parent, frame)), image));
      });
    });
  }

  // Motions of particles without bonds, from what the history knows.
  void start_motions() {
    codec::resize(state_.means_, layout().slots() * core::motion_columns, threads_);
    const float part = 1.0F / static_cast<float>(history_->frames);
    for_blocks([&](std::size_t b) {
      for_slots(b, [&](std::size_t s, std::uint32_t i) {
        for (unsigned d = 0; d < core::max_components; ++d) {
          const codec::DifferenceState::Axis &axis = history_->axes[d];
          core::start_motion(state_.means_.data(), s, d, {axis.velocity[i], axis.previous[i], axis.deviation[i]}, part);
        }
      });
    });
  }

  // The same in a key frame, which has no frame before.
  void start_key() {
    codec::resize(state_.rows_, 8 * layout().slots(), threads_);
    state_.means_.assign(layout().slots() * core::step_means, 0.0F);
  }

  // The number of difference sections before with these molecules.
  std::uint64_t section_number() const { return update_.models.plan != nullptr ? 0 : state_.learned_.sections; }
  // Means of the frames with these molecules: all of them, and then the last ones.
  codec::StepMeans means(float *after) const {
    const float gain = gain_of(*models_.plan, section_number(), update_.frames);
    return {state_.means_.data(), after, gain, !have_bonds()};
  }

  State &state_;
  std::size_t particles_;
  const codec::DifferenceState *history_;
  int threads_;
  const codec::FollowedBlocks *followed_;  // decoder; nullptr: all particles
  Cell cell_;
  Models models_;
  Templates templates_;  // of a key frame
  Update update_;
};

}  // namespace gpz::lanes
