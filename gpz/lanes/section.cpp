// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/section.hpp"

#include <utility>

#include "gpz/codec/memory.hpp"

namespace gpz::lanes {

void State::commit(Update &&update) {
  if (update.plan != nullptr) {
    plan_ = std::move(update.plan);
    sections_ = 0;
  }
  if (update.numbers != nullptr) numbers_ = std::move(update.numbers);
  if (update.codes != nullptr) codes_ = std::move(update.codes);
  if (update.fit) fit_ = std::move(*update.fit);
  if (update.counts != nullptr) counts_ = std::move(update.counts);
  if (update.has_settled) counts_.reset();
  words_ = update.words;
  rests_ = update.rests;
  if (!update.means.empty()) means_ = std::move(update.means);
  frames_ = update.frames;
  now_ = 4 - now_;
  ++sections_;
}

void State::restart() {
  plan_ = nullptr;
  numbers_ = nullptr;
  codes_ = nullptr;
  rests_ = false;
  frames_ = sections_ = 0;
  counts_.reset();
  followed_blocks_.clear();
}

std::size_t State::memory_usage() const {
  std::size_t bytes = codec::memory_of(rows_, means_, plan_bytes_, followed_blocks_);
  const std::shared_ptr<Plan> &plan = plan_ != nullptr ? plan_ : known_plan_;
  if (plan != nullptr)
    bytes +=
        plan->layout.memory_usage() + plan->molecules.tree.memory_usage() + codec::memory_of(plan->molecules.of_class);
  if (numbers_ != nullptr) bytes += numbers_->columns.memory_usage();
  if (codes_ != nullptr) bytes += codes_->memory_usage();
  if (counts_ != nullptr) bytes += codec::memory_of(counts_->places);
  return bytes;
}

}  // namespace gpz::lanes
