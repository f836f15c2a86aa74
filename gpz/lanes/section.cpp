// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/section.hpp"

#include <utility>

#include "gpz/codec/memory.hpp"

namespace gpz::lanes {

void State::commit(Update &&update) {
  if (update.models.plan != nullptr) sections_ = 0;
  models_.take(std::move(update.models));
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
  models_ = {};
  rests_ = false;
  frames_ = sections_ = 0;
  counts_.reset();
  followed_blocks_.clear();
}

std::size_t State::memory_usage() const {
  std::size_t bytes = codec::memory_of(rows_, followed_blocks_) + known_plan_.memory_usage();
  const std::shared_ptr<Plan> &plan = models_.plan != nullptr ? models_.plan : known_plan_.plan();
  if (plan != nullptr)
    bytes +=
        plan->layout.memory_usage() + plan->molecules.tree.memory_usage() + codec::memory_of(plan->molecules.of_class);
  if (models_.numbers != nullptr) bytes += models_.numbers->columns.memory_usage();
  if (models_.codes != nullptr) bytes += models_.codes->memory_usage();
  if (counts_ != nullptr) bytes += codec::memory_of(counts_->places);
  return bytes;
}

}  // namespace gpz::lanes
