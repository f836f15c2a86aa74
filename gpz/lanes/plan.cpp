// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/plan.hpp"

#include <algorithm>

#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
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
  // A circle without a second reference is wide: its molecule turns around the axis.
  molecules.short_bonds = ShortBonds(molecules.tree, now, cell);
  std::vector<std::int64_t> told(classify(molecules.tree, molecules.short_bonds, molecules.of_class));
  for (std::size_t i = 0; i < particles; ++i) {
    const int directions = molecules.tree[i].references();
    if (directions != 0) told[molecules.of_class[i]] += directions == 2 ? 1 : -1;
  }
  molecules.is_wide.resize(told.size());
  for (std::size_t c = 0; c < told.size(); ++c) molecules.is_wide[c] = told[c] < 0 ? 1 : 0;
  plan->layout.build(molecules, particles_a_block);
  plan->layout.find_sample(molecules);
  return plan;
}

void append_plan(const Molecules &molecules, std::vector<std::uint8_t> &bytes, int threads) {
  format::ByteWriter writer(bytes);
  writer.u32(particles_a_block);
  writer.u32(0);
  molecules.tree.append(bytes, threads);
  molecules.short_bonds.append(molecules.tree, bytes);
  NumberWriter numbers(1);
  for (const std::uint8_t wide : molecules.is_wide) numbers.put(0, wide);
  numbers.append(bytes);
}

std::shared_ptr<Plan> read_plan(const std::uint8_t *bytes, std::size_t size, std::size_t particles, int threads) {
  auto plan = std::make_shared<Plan>();
  Molecules &molecules = plan->molecules;
  format::ByteReader in(bytes, size);
  const std::uint32_t block = in.u32();
  if (block < core::step_lanes) corrupt("particles of a block", 0);
  if (in.u32() != 0) corrupt("padding of molecules", in.position());
  format::Column<std::uint8_t> lags;
  in.take(molecule::Tree::read(bytes + in.position(), in.left(), particles, lags));
  molecules.tree.link(lags, threads);
  in.take(molecules.short_bonds.read(molecules.tree, bytes + in.position(), in.left()));
  molecules.is_wide.resize(classify(molecules.tree, molecules.short_bonds, molecules.of_class));
  NumberReader numbers(bytes + in.position(), in.left(), 1);
  for (std::uint8_t &wide : molecules.is_wide) wide = static_cast<std::uint8_t>(numbers.get(0, 1));
  if (in.position() + numbers.end() != size) corrupt("length of molecules", 0);
  plan->layout.build(molecules, block);
  return plan;
}

}  // namespace gpz::lanes
