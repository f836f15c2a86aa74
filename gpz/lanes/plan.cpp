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

constexpr int unbound_classes = 16;

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
  constexpr double enough = 2048;           // particles of a class
  for (std::size_t i = 0; i < molecules.particles(); ++i) {
    Sums &s = sums[molecules.of_class[i]];
    if (s.count == enough) continue;
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
                                const molecule::Cell &cell, KnownPlans &known, int threads) {
  format::Column<std::uint8_t> lags = molecule::Tree::find(last, now, particles, cell, threads);
  if (lags.empty()) return nullptr;
  cut(lags);
  Molecules molecules;
  molecules.tree.link(lags);
  molecules.short_bonds = ShortBonds(molecules.tree, now, cell);
  std::vector<std::int64_t> told;
  if (const std::shared_ptr<Plan> same = known.find(molecules, false)) {
    molecules.of_class = same->molecules.of_class;
    told.resize(same->molecules.kind.size());
  } else {
    told.resize(classify(molecules.tree, molecules.short_bonds, molecules.of_class));
  }
  // A circle without a second reference is wide: its molecule turns around the axis.
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
  std::shared_ptr<Plan> plan = known.find(molecules, true);
  return plan != nullptr ? plan : known.make(std::move(molecules), threads);
}

std::shared_ptr<Plan> plan_without_bonds(const codec::IndexColumns &last, const codec::IndexColumns &now,
                                         std::size_t particles, const molecule::Cell &cell) {
  constexpr std::size_t lanes = core::step_lanes;
  std::vector<std::int8_t> octave((particles + lanes - 1) / lanes);
  for (std::size_t s = 0; s < octave.size(); ++s) {
    const std::size_t first = s * lanes;
    octave[s] = static_cast<std::int8_t>(core::octave_of_step(std::min(lanes, particles - first), [&](std::size_t i) {
      molecule::GridVector moved =
          molecule::difference_of(molecule::position_of(now, first + i), molecule::position_of(last, first + i));
      cell.shorten(moved);
      return moved;
    }));
  }
  return plan_without_bonds(octave, particles);
}

std::shared_ptr<Plan> plan_without_bonds(const std::vector<std::int8_t> &octave, std::size_t particles) {
  constexpr std::size_t lanes = core::step_lanes;
  const auto [lowest, highest] = std::minmax_element(octave.begin(), octave.end());
  const int least = std::max<int>(*lowest, *highest - (unbound_classes - 1));
  auto plan = std::make_shared<Plan>();
  Molecules &molecules = plan->molecules;
  molecules.of_class.reserve(particles);
  for (std::size_t s = 0; s < octave.size(); ++s)
    molecules.of_class.insert(molecules.of_class.end(), std::min(lanes, particles - s * lanes),
                              static_cast<std::uint8_t>(std::max(octave[s] - least, 0)));
  molecules.kind.assign(static_cast<std::size_t>(std::max(*highest - least, 0)) + 1, core::StepKind::root);
  plan->layout.build(molecules, particles_a_block);
  plan->layout.find_sample(molecules);
  return plan;
}

namespace {

void append_classes(const Molecules &molecules, std::vector<std::uint8_t> &bytes) {
  NumberWriter numbers(2);
  numbers.put(0, static_cast<std::uint32_t>(molecules.kind.size() - 1));
  std::int32_t last = 0;
  for (std::size_t i = 0; i < molecules.particles(); i += core::step_lanes) {
    const std::int32_t of = molecules.of_class[i];
    numbers.put_signed(1, of - last);
    last = of;
  }
  numbers.append(bytes);
}

std::size_t read_classes(const std::uint8_t *bytes, std::size_t size, std::size_t particles, Molecules &molecules) {
  NumberReader numbers(bytes, size, 2);
  const auto most = static_cast<std::int32_t>(numbers.get(0, unbound_classes - 1));
  molecules.kind.assign(static_cast<std::size_t>(most) + 1, core::StepKind::root);
  molecules.of_class.resize(particles);
  std::int32_t of = 0;
  for (std::size_t i = 0; i < particles; i += core::step_lanes) {
    of += numbers.get_signed(1, -of, most - of);
    std::fill_n(molecules.of_class.begin() + static_cast<std::ptrdiff_t>(i),
                std::min<std::size_t>(core::step_lanes, particles - i), static_cast<std::uint8_t>(of));
  }
  return numbers.end();
}

}  // namespace

const std::vector<std::uint8_t> &stored_plan(Plan &plan, int threads) {
  const Molecules &molecules = plan.molecules;
  std::vector<std::uint8_t> &bytes = plan.stored;
  if (!bytes.empty()) return bytes;
  format::ByteWriter writer(bytes);
  writer.u32(particles_a_block);
  writer.u32(molecules.have_bonds() ? 0 : 1);
  if (!molecules.have_bonds()) {
    append_classes(molecules, bytes);
    return bytes;
  }
  molecules.tree.append(bytes, threads);
  molecules.short_bonds.append(molecules.tree, bytes);
  NumberWriter numbers(1);
  for (const core::StepKind kind : molecules.kind)
    numbers.put(0, static_cast<std::uint32_t>(std::find(stored_kinds.begin(), stored_kinds.end(), kind) -
                                              stored_kinds.begin()));
  numbers.append(bytes);
  return bytes;
}

std::shared_ptr<Plan> read_plan(const std::uint8_t *bytes, std::size_t size, std::size_t particles, int threads) {
  auto plan = std::make_shared<Plan>();
  plan->stored.assign(bytes, bytes + size);
  Molecules &molecules = plan->molecules;
  format::ByteReader in(bytes, size);
  const std::uint32_t block = in.u32();
  if (block < core::step_lanes) corrupt("particles of a block", 0);
  const std::uint32_t is_unbound = in.u32();
  if (is_unbound > 1) corrupt("kind of molecules", in.position());
  if (is_unbound != 0) {
    in.take(read_classes(bytes + in.position(), in.left(), particles, molecules));
    if (in.left() != 0) corrupt("length of molecules", 0);
    plan->layout.build(molecules, block);
    return plan;
  }
  format::Column<std::uint8_t> lags;
  in.take(molecule::Tree::read(bytes + in.position(), in.left(), particles, lags));
  molecules.tree.link(lags);
  in.take(molecules.short_bonds.read(molecules.tree, bytes + in.position(), in.left()));
  molecules.kind.resize(classify(molecules.tree, molecules.short_bonds, molecules.of_class));
  NumberReader numbers(bytes + in.position(), in.left(), 1);
  for (core::StepKind &kind : molecules.kind) kind = stored_kinds[numbers.get(0, stored_kinds.size() - 1)];
  if (in.position() + numbers.end() != size) corrupt("length of molecules", 0);
  plan->layout.build(molecules, block, threads);
  return plan;
}

void KnownPlans::add(std::shared_ptr<Plan> &&plan) {
  before_ = std::move(last_);
  last_ = std::move(plan);
}

const std::shared_ptr<Plan> &KnownPlans::read(const std::uint8_t *bytes, std::size_t size, std::size_t particles,
                                              int threads) {
  const auto is = [&](const std::shared_ptr<Plan> &plan) {
    return plan != nullptr && plan->stored.size() == size && std::equal(bytes, bytes + size, plan->stored.data()) &&
           plan->layout.particles() == particles;
  };
  if (is(last_)) return last_;
  std::swap(last_, before_);
  if (is(last_)) return last_;
  last_ = nullptr;
  last_ = read_plan(bytes, size, particles, threads);
  return last_;
}

std::shared_ptr<Plan> KnownPlans::find(const Molecules &molecules, bool with_kinds) const {
  for (const std::shared_ptr<Plan> &plan : {last_, before_}) {
    if (plan == nullptr) continue;
    const Molecules &of = plan->molecules;
    if (of.tree == molecules.tree && of.short_bonds == molecules.short_bonds &&
        (!with_kinds || of.kind == molecules.kind))
      return plan;
  }
  return nullptr;
}

const std::shared_ptr<Plan> &KnownPlans::make(Molecules &&molecules, int threads) {
  auto plan = std::make_shared<Plan>();
  plan->molecules = std::move(molecules);
  plan->layout.build(plan->molecules, particles_a_block, threads);
  plan->layout.find_sample(plan->molecules);
  add(std::move(plan));
  return last_;
}

std::size_t KnownPlans::memory_usage() const {
  return (last_ != nullptr ? last_->memory_usage() : 0) + (before_ != nullptr ? before_->memory_usage() : 0);
}

}  // namespace gpz::lanes
