// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "gpz/codec/memory.hpp"
#include "gpz/model/modelled_section.hpp"

namespace gpz::model {

void ModelledState::restart() {
  lanes::State steps_of_before = std::move(steps);
  *this = ModelledState();
  steps = std::move(steps_of_before);
  steps.restart();
}

void ModelledState::commit(ModelledUpdate &&update) {
  search = std::move(update.search);
  if (update.steps) {
    steps.commit(std::move(*update.steps));
    return;
  }
  if (update.lattice) {
    lattice.commit(std::move(*update.lattice));
    search.lattice.found = nullptr;
  }
  if (update.lattice_neighbours) lattice_neighbours.commit(std::move(*update.lattice_neighbours));
  if (update.forces) forces.commit(std::move(*update.forces));
  scale = std::move(update.scale);
}

void ModelledState::keep(const std::uint32_t *kept, std::size_t count) {
  lattice.keep(kept, count);
  search.lattice.found = nullptr;
  forces.keep(kept, count);
  steps.restart();
  if (scale.empty()) return;
  for (std::size_t i = 0; i < count; ++i) scale[i] = scale[kept[i]];
  scale.resize(count);
}

void ModelledState::add(std::size_t count) {
  lattice.add(count);
  search.lattice.found = nullptr;
  forces.add(count);
  steps.restart();
  if (!scale.empty()) scale.resize(scale.size() + count, 0);
}

std::size_t ModelledState::memory_usage() const {
  return lattice.memory_usage(search.lattice) + lattice_neighbours.memory_usage() + forces.memory_usage() +
         space.memory_usage() + steps.memory_usage() + codec::memory_of(scale);
}

}  // namespace gpz::model
