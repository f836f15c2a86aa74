// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/section.hpp"

#include <algorithm>
#include <utility>

#include "gpz/codec/memory.hpp"

namespace gpz::lanes {

void State::commit(Update &&update) {
  learned_.commit(update);
  rests_ = update.rests;
  if (!update.means.empty()) {
    work_.means = std::move(means_);
    means_ = std::move(update.means);
  }
  frames_ = update.frames;
  now_ = 4 - now_;
}

bool have_bonds(const State &state, const Update &update) {
  return update.models.plan != nullptr ? update.models.plan->molecules.have_bonds() : state.have_bonds();
}

void State::restart() {
  learned_.models.plan = nullptr;
  learned_.counts.reset();
  rests_ = false;
  frames_ = learned_.sections = 0;
  followed_blocks_.clear();
}

std::size_t State::memory_usage() const {
  std::size_t bytes =
      codec::memory_of(rows_, means_, followed_blocks_, last_words_, work_.items, work_.others, work_.means) +
      known_plans_->memory_usage();
  const std::shared_ptr<Plan> &plan = learned_.models.plan;
  if (plan != nullptr && !known_plans_->has(plan.get())) bytes += plan->memory_usage();
  if (learned_.models.numbers != nullptr) bytes += learned_.models.numbers->memory_usage();
  if (learned_.models.codes != nullptr) bytes += learned_.models.codes->memory_usage();
  if (learned_.counts != nullptr) bytes += codec::memory_of(learned_.counts->contexts);
  return bytes;
}

}  // namespace gpz::lanes
