// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/plan.hpp"

#include <algorithm>

#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/lanes/class_history.hpp"
#include "gpz/lanes/classes.hpp"
#include "gpz/lanes/stream.hpp"

namespace gpz::lanes {

using format::corrupt;

namespace {

// Cuts large molecules so that a block has about as many as a step has lanes.
void cut(format::Column<std::uint8_t> &lags) {
  constexpr std::size_t pieces = core::step_lanes - 3, least = 24;
  const std::size_t n = lags.size(), block = std::min<std::size_t>(n, particles_a_block);
  const std::size_t most = std::max(block / pieces, least);
  format::Column<std::uint32_t> below(n, 1);
  for (std::size_t i = n; i-- > 0;) {
    if (lags[i] == 0) continue;
    if (below[i] >= most)
      lags[i] = 0;
    else
      below[i - lags[i]] += below[i];
  }
}

}  // namespace

std::shared_ptr<Plan> find_plan(const codec::IndexColumns &last, const codec::IndexColumns &now, std::size_t particles,
                                const molecule::Cell &cell, int threads) {
  format::Column<std::uint8_t> lags = molecule::Tree::find(last, now, particles, cell, threads);
  if (lags.empty()) return nullptr;
  cut(lags);
  auto plan = std::make_shared<Plan>();
  Molecules &molecules = plan->molecules;
  molecules.tree.link(lags, threads);
  molecules.is_wide.assign(classify(molecules.tree, now, cell, molecules.of_class), 1);
  plan->layout.build(molecules, particles_a_block);
  plan->layout.find_sample(molecules);
  return plan;
}

void append_plan(const Molecules &molecules, std::vector<std::uint8_t> &bytes, int threads) {
  format::ByteWriter writer(bytes);
  writer.u32(particles_a_block);
  writer.u32(static_cast<std::uint32_t>(molecules.is_wide.size()));
  molecules.tree.append(bytes, threads);
  NumberWriter numbers(ClassHistory::contexts + 1);
  for (const std::uint8_t wide : molecules.is_wide) numbers.put(ClassHistory::contexts, wide);
  ClassHistory history;
  for (std::size_t i = 0; i < molecules.particles(); ++i) {
    history.go_to(molecules.tree[i].parent);
    numbers.put(history.context(), history.number_of(molecules.of_class[i]));
    history.add(molecules.of_class[i]);
  }
  numbers.append(bytes);
}

std::shared_ptr<Plan> read_plan(const std::uint8_t *bytes, std::size_t size, std::size_t particles, int threads) {
  auto plan = std::make_shared<Plan>();
  Molecules &molecules = plan->molecules;
  format::ByteReader in(bytes, size);
  const std::uint32_t block = in.u32(), classes = in.u32();
  if (block < core::step_lanes) corrupt("particles of a block", 0);
  if (classes == 0 || classes > max_classes) corrupt("number of classes", 0);
  format::Column<std::uint8_t> lags;
  in.take(molecule::Tree::read(bytes + in.position(), in.left(), particles, lags));
  molecules.tree.link(lags, threads);
  const std::size_t at = in.position();
  NumberReader numbers(bytes + at, in.left(), ClassHistory::contexts + 1);
  molecules.is_wide.resize(classes);
  for (std::uint8_t &wide : molecules.is_wide) wide = static_cast<std::uint8_t>(numbers.get(ClassHistory::contexts, 1));
  molecules.of_class.resize(particles);
  ClassHistory history;
  for (std::size_t i = 0; i < particles; ++i) {
    history.go_to(molecules.tree[i].parent);
    molecules.of_class[i] = history.class_of(numbers.get(history.context(), classes));
    if (molecules.of_class[i] >= classes) corrupt("class of a particle", 0);
    history.add(molecules.of_class[i]);
  }
  if (at + numbers.end() != size) corrupt("length of molecules", 0);
  plan->layout.build(molecules, block);
  return plan;
}

}  // namespace gpz::lanes
