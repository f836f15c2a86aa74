// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/lanes/classes.hpp"
#include "gpz/lanes/stream.hpp"
#include "gpz/lanes/vectors.hpp"

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

constexpr std::array<core::StepKind, 3> stored_kinds{core::StepKind::narrow, core::StepKind::wide,
                                                     core::StepKind::sphere};

}  // namespace

std::vector<bool> loose_classes(const Molecules &molecules, const codec::IndexColumns &last,
                                const codec::IndexColumns &now, const molecule::Cell &cell) {
  struct Sums {
    double count = 0, sum = 0, squares = 0;
  };
  std::vector<Sums> sums(molecules.kind.size());
  const bool is_key = last == now;
  const double most = is_key ? 0.2 : 0.15;  // deviation of the cosine
  for (std::size_t i = 0; i < molecules.particles(); ++i) {
    const References of = references_of(molecules.tree, i);
    if (of.axis == UINT32_MAX) continue;
    const auto cosine = [&](const codec::IndexColumns &q) {
      const auto vector = [&](std::size_t to) {
        molecule::GridVector grid_vector =
            molecule::difference_of(molecule::position_of(q, to), molecule::position_of(q, of.parent));
        cell.shorten(grid_vector);
        return Vector{static_cast<double>(grid_vector[0]), static_cast<double>(grid_vector[1]),
                      static_cast<double>(grid_vector[2])};
      };
      const Vector bond = vector(i), axis = vector(of.axis);
      return core::dot(bond, axis) / std::max(length_of(bond) * length_of(axis), 1.0);
    };
    const double value = cosine(now) - (is_key ? 0 : cosine(last));
    Sums &s = sums[molecules.of_class[i]];
    ++s.count;
    s.sum += value;
    s.squares += value * value;
  }
  std::vector<bool> is_loose(sums.size());
  for (std::size_t c = 0; c < sums.size(); ++c) {
    const Sums &s = sums[c];
    // The deviation of few particles depends on the frame, and with it the plan: those have to be farther above.
    const double limit = most * (s.count + 2 * std::sqrt(s.count));
    is_loose[c] = s.count * s.squares - s.sum * s.sum > limit * limit;
  }
  return is_loose;
}

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
  molecules.kind.resize(told.size());
  const auto circle = [](std::int64_t of) { return of < 0 ? core::StepKind::wide : core::StepKind::narrow; };
  std::transform(told.begin(), told.end(), molecules.kind.begin(), circle);
  const std::vector<bool> is_loose = loose_classes(molecules, last, now, cell);
  for (std::size_t c = 0; c < is_loose.size(); ++c)
    if (is_loose[c]) molecules.kind[c] = core::StepKind::sphere;
  plan->layout.build(molecules, particles_a_block, threads);
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
  for (const core::StepKind kind : molecules.kind)
    numbers.put(0, static_cast<std::uint32_t>(std::find(stored_kinds.begin(), stored_kinds.end(), kind) -
                                              stored_kinds.begin()));
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
  molecules.kind.resize(classify(molecules.tree, molecules.short_bonds, molecules.of_class));
  NumberReader numbers(bytes + in.position(), in.left(), 1);
  for (core::StepKind &kind : molecules.kind) kind = stored_kinds[numbers.get(0, stored_kinds.size() - 1)];
  if (in.position() + numbers.end() != size) corrupt("length of molecules", 0);
  plan->layout.build(molecules, block, threads);
  return plan;
}

}  // namespace gpz::lanes
