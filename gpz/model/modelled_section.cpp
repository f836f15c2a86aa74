// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/modelled_section.hpp"

#include <algorithm>
#include <cmath>

#include "gpz/cpu/functions.hpp"
#include "gpz/cpu/number_coder.hpp"
#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/model/margin.hpp"
#include "gpz/model/memory.hpp"
#include "gpz/model/walk.hpp"

namespace gpz::model {

using format::corrupt;

namespace {

enum Flags : std::uint8_t {
  slot_neighbours = 1,
  space_neighbours = 2,
  bound_particles = 4,
  new_bonds = 8,
  lattice_neighbours = 16
};
enum OpenModel : std::uint8_t { temporal_model = 0, lattice_model = 1, pair_force_model = 2 };

std::size_t axes_of(const cpu::DifferenceState &state) { return static_cast<std::size_t>(state.components); }

// Everything but the values of the frame.
struct Prepared {
  Temporal temporal;
  Expectation expected;
  SpaceNeighbours space;
  Walk walk;

  void connect(const cpu::DifferenceState &state, const core::GridBox &box, ModelledState &modelled) {
    walk.particles = state.particles;
    walk.components = state.components;
    for (std::size_t d = 0; d < axes_of(state); ++d) {
      walk.last[d] = state.axes[d].last.data();
      walk.expected[d] = expected[d].data();
      walk.box[d] = core::checked_axis(box[d]);
    }
    for (std::size_t d = 0; d < axes_of(state); ++d) walk.inner[d] = Inner(walk.box[d], walk.margin[d]);
    walk.scale = modelled.scale.data();
    if (walk.contexts.bonds) walk.bonds = &modelled.bonds;
  }
};

struct EncodeSide {
  const Walk &walk;
  const cpu::IndexColumns &q;
  cpu::NumberEncoder numbers;
  std::vector<std::int64_t> exceptions;

  std::int64_t value(std::size_t i, std::size_t d, std::int32_t expected, unsigned context) {
    const core::GridAxis &grid = walk.box[d];
    const std::int64_t actual = q[d][i];
    const std::int64_t last = walk.last[d][i];
    const std::int64_t moved = core::displacement(actual, last, grid);
    const std::uint64_t u = core::residual_number(core::difference_of(moved, core::expected_step(expected)), expected);
    std::int64_t place = core::sum_of(last, moved);
    bool has_flag = false;
    bool flag = false;
    if (!walk.inner[d].has(place)) {
      place = core::wrap(place, grid);
      const std::int64_t other = core::other_image(place, grid, walk.margin[d]);
      has_flag = other != place;
      flag = has_flag && actual == other;
      if (flag) place = other;
    }
    if (u >= core::widest_residual || place != actual) {
      numbers.put(context, core::widest_residual);
      exceptions.push_back(actual);
      return moved;
    }
    numbers.put(context, static_cast<std::uint32_t>(u));
    if (has_flag) numbers.put(walk.contexts.of_flag(core::beyond_edge(last, grid) != 0), flag ? 1 : 0);
    return moved;
  }
};

struct DecodeSide {
  const Walk &walk;
  const cpu::IndexOutput &q;
  cpu::NumberDecoder numbers;
  const std::uint8_t *exceptions;
  std::uint64_t left;  // of them

  std::int64_t value(std::size_t i, std::size_t d, std::int32_t expected, unsigned context) {
    const core::GridAxis &grid = walk.box[d];
    const std::int64_t last = walk.last[d][i];
    const std::uint32_t u = numbers.get(context);
    std::int64_t place;
    if (u == core::widest_residual) {
      if (left == 0) corrupt("exceptions of a modelled section", 0);
      --left;
      place = static_cast<std::int64_t>(format::load_little<std::uint64_t>(exceptions));
      exceptions += sizeof(std::int64_t);
    } else {
      place = core::sum_of(last, core::sum_of(core::expected_step(expected), core::numbered_residual(u, expected)));
      if (!walk.inner[d].has(place)) {
        place = core::wrap(place, grid);
        const std::int64_t other = core::other_image(place, grid, walk.margin[d]);
        if (other != place && numbers.get(walk.contexts.of_flag(core::beyond_edge(last, grid) != 0)) != 0)
          place = other;
      }
    }
    q[d][i] = place;
    return core::displacement(place, last, grid);
  }
};

// Levels for the sizes that the residuals had so far: more than one only if they differ.
Contexts choose_contexts(const format::Column<std::uint32_t> &scale) {
  Contexts contexts;
  std::array<std::size_t, 65> counts{};
  for (const std::uint32_t s : scale) ++counts[Contexts::half_octaves(s)];
  // From the level of the lowest 1/64 to that of the highest.
  const std::size_t few = scale.size() / 64;
  std::size_t low = 0;
  std::size_t high = counts.size() - 1;
  for (std::size_t sum = counts[low]; low < high && sum <= few; sum += counts[++low]) {
  }
  for (std::size_t sum = counts[high]; high > low && sum <= few; sum += counts[--high]) {
  }
  contexts.base = static_cast<unsigned>(low);
  contexts.levels = std::min(static_cast<unsigned>(high - low + 1), max_scale_levels);
  return contexts;
}

// Least squares for the weights of the slots before (docs/decisions/0013).
cpu::Neighbours fit_slots(const Remainders &remainders, std::size_t n, std::size_t axes) {
  constexpr std::uint32_t period = cpu::NeighbourSums::period;
  cpu::NeighbourSums sums;
  constexpr std::size_t stretch = 384;  // a multiple of the period
  const std::size_t step = std::max<std::size_t>((n + 16 * stretch - 1) / (16 * stretch), 1) * stretch;
  for (std::size_t d = 0; d < axes; ++d)
    for (std::size_t first = 0; first < n; first += step)
      for (std::size_t i = std::max<std::size_t>(first, cpu::max_neighbour_lags); i < std::min(n, first + stretch); ++i)
        for (std::size_t j = 0; j <= cpu::max_neighbour_lags; ++j)
          sums.product[j][i % period] += std::int64_t{remainders[d][i]} * remainders[d][i - j];
  return cpu::fit_neighbours(sums, n * axes);
}

}  // namespace

void ModelledState::prepare(std::size_t particles) {
  if (scale.empty()) scale.assign(particles, 0);
}

void ModelledState::keep(const std::uint32_t *kept, std::size_t count) {
  lattice.keep(kept, count);
  forces.keep(kept, count);
  if (!bonds.empty()) bonds.keep(kept, count);
  if (scale.empty()) return;
  for (std::size_t i = 0; i < count; ++i) scale[i] = scale[kept[i]];
  scale.resize(count);
}

void ModelledState::add(std::size_t count) {
  lattice.add(count);
  forces.add(count);
  if (!bonds.empty()) bonds.add(count);
  if (!scale.empty()) scale.resize(scale.size() + count, 0);
}

std::size_t ModelledState::memory_usage() const {
  return lattice.memory_usage() + echo.memory_usage() + forces.memory_usage() + bonds.memory_usage() + memory_of(scale);
}

namespace {

// Bits that the remainders of a sample of particles will take, less a constant.
double rough_bits(const Remainders &remainders) {
  constexpr std::size_t sample = 8192;
  double bits = 0;
  for (const auto &column : remainders) {
    const std::size_t stride = column.size() / sample + 1;
    for (std::size_t i = 0; i < column.size(); i += stride)
      bits += cpu::log2_of(1 + std::abs(static_cast<double>(column[i])));
  }
  return bits;
}

// The bits by which the slots before make a value shorter, on a sample.
double gain_of(const cpu::Neighbours &slots, const Remainders &remainders) {
  constexpr std::size_t lags = cpu::max_neighbour_lags;
  constexpr std::size_t sample = 8192;
  double before = 0;
  double after = 0;
  std::size_t count = 0;
  for (const auto &column : remainders) {
    const std::size_t stride = column.size() / sample + 1;
    for (std::size_t i = lags; i < column.size(); i += stride, ++count) {
      double left = column[i];
      for (std::size_t j = 0; j < lags; ++j) left -= slots.weight[i % slots.levels][j] / 64.0 * column[i - 1 - j];
      before += static_cast<double>(column[i]) * column[i];
      after += left * left;
    }
  }
  return count == 0 || after <= 0 ? 0 : 0.5 * cpu::log2_of(before / after);
}

// Models in competition: the best one so far, with its expectation.
struct Contest {
  const cpu::DifferenceState &state;
  const cpu::IndexColumns &q;
  const core::GridBox &box;
  Prepared &prepared;
  Remainders &remainders;
  std::vector<std::uint8_t> &parameters;
  std::uint8_t best = temporal_model;
  double least = 0;

  // Takes a model if it is better. `history` is that of the chunk, which the winner of all may change at the end, but
  // no other one: a decoder does not hear of them.
  template <typename Model>
  void enter(std::uint8_t number, Model &model, Model &history) {
    std::vector<std::uint8_t> bytes;
    model = history;
    if (!model.fit(state, q, box, bytes)) {
      history = std::move(model);  // it has seen that it is of no use
      return;
    }
    Expectation expected;
    model.read(state, bytes.data(), bytes.size(), box);
    model.expect(state, box, expected, 1);
    Remainders left;
    find_remainders(state, expected, q, box, left);
    const double bits = rough_bits(left);
    if (bits >= least) return;
    least = bits;
    best = number;
    parameters = std::move(bytes);
    prepared.expected = std::move(expected);
    remainders = std::move(left);
  }
};

// The model that expects the particles nearest to where they are. Appends its parameters and changes `modelled`.
std::uint8_t choose_model(const cpu::DifferenceState &state, ModelledState &modelled, const cpu::IndexColumns &q,
                          const core::GridBox &box, bool dense, Prepared &prepared, Remainders &remainders,
                          std::vector<std::uint8_t> &parameters) {
  prepared.temporal.fit(state, q, box, parameters);
  prepared.temporal.expect(state, prepared.expected);
  find_remainders(state, prepared.expected, q, box, remainders);
  if (!dense) return temporal_model;
  Contest contest{state, q, box, prepared, remainders, parameters};
  contest.least = rough_bits(remainders);
  LatticeModel lattice;
  PairForce forces;
  contest.enter(lattice_model, lattice, modelled.lattice);
  contest.enter(pair_force_model, forces, modelled.forces);
  if (contest.best == lattice_model) modelled.lattice = std::move(lattice);
  if (contest.best == pair_force_model) modelled.forces = std::move(forces);
  return contest.best;
}

// Neighbours in the crystal; false if they say nothing.
bool take_echo(const cpu::DifferenceState &state, ModelledState &modelled, const cpu::IndexColumns &q,
               const core::GridBox &box, Prepared &prepared, std::vector<std::uint8_t> &parameters) {
  const LatticeNetwork &network = modelled.lattice.network();
  const std::size_t at = parameters.size();
  if (!modelled.echo.fit(network, state, q, box, prepared.expected, parameters)) return false;
  modelled.echo.read(network, &parameters[at], parameters.size() - at);
  prepared.walk.echo = &modelled.echo;
  prepared.walk.network = &network;
  return true;
}

}  // namespace

namespace {

void append_section(const cpu::DifferenceState &state, ModelledState &modelled, const cpu::IndexColumns &q,
                    const core::GridBox &box, const ModelledOptions &options, std::vector<std::uint8_t> &bytes) {
  const std::size_t axes = axes_of(state);
  modelled.prepare(state.particles);
  std::vector<std::uint8_t> parameters;
  Prepared prepared;
  Walk &w = prepared.walk;
  Remainders remainders;
  const std::uint8_t model =
      choose_model(state, modelled, q, box, options.dense && options.positions, prepared, remainders, parameters);
  std::uint8_t flags = 0;
  w.contexts.bonds = !modelled.bonds.empty() && modelled.bond_use != ModelledState::BondUse::avoided;
  if (w.contexts.bonds) flags |= bound_particles;
  if (w.contexts.bonds && modelled.new_bonds) {
    flags |= new_bonds;
    modelled.bonds.append(parameters);
    modelled.new_bonds = false;
  }
  const bool echoes =
      !w.contexts.bonds && model == lattice_model && take_echo(state, modelled, q, box, prepared, parameters);
  if (echoes) flags |= lattice_neighbours;
  // Otherwise either the slots before or particles near in space say more. The pass over bound particles is in the
  // order of slots.
  double gain = 0;
  std::vector<std::uint8_t> space;
  if (options.dense && options.positions && !w.contexts.bonds && !echoes)
    gain = prepared.space.fit(state, box, remainders, space);
  if (options.in_order_of_ids && !echoes) {
    w.slots = fit_slots(remainders, state.particles, axes);
    if (w.contexts.bonds || gain_of(w.slots, remainders) > gain) {
      gain = 0;
      flags |= slot_neighbours;
      const std::size_t at = parameters.size();
      parameters.resize(at + cpu::header_size(w.slots));
      cpu::write_header(w.slots, &parameters[at]);
    } else {
      w.slots = {};
    }
  }
  if (gain > 0) {
    flags |= space_neighbours;
    w.space = &prepared.space;
    parameters.insert(parameters.end(), space.begin(), space.end());
  }
  const Contexts scales = choose_contexts(modelled.scale);
  w.contexts.levels = scales.levels;
  w.contexts.base = scales.base;
  for (std::size_t d = 0; d < axes; ++d) {
    w.margin[d] = find_margin(q[d], state.particles, core::checked_axis(box[d]));
    w.index[d] = q[d];
  }
  prepared.connect(state, box, modelled);

  EncodeSide side{w, q, cpu::NumberEncoder(w.contexts.count()), {}};
  side.numbers.reserve(state.particles * axes);
  model::walk(w, remainders, side);
  if (w.contexts.bonds) modelled.bonds.confirm(q, w.box);

  format::ByteWriter writer(bytes);
  writer.u8(model);
  writer.u8(flags);
  writer.u8(static_cast<std::uint8_t>(w.contexts.levels));
  writer.u8(static_cast<std::uint8_t>(w.contexts.base));
  for (std::size_t d = 0; d < axes; ++d) writer.u32(static_cast<std::uint32_t>(w.margin[d]));
  writer.u64(side.exceptions.size());
  for (const std::int64_t index : side.exceptions) writer.i64(index);
  bytes.insert(bytes.end(), parameters.begin(), parameters.end());
  writer.pad_to_8();
  side.numbers.finish(bytes);
}

}  // namespace

bool encode_modelled(const cpu::DifferenceState &state, ModelledState &modelled, const cpu::IndexColumns &q,
                     const core::GridBox &box, const ModelledOptions &options, std::vector<std::uint8_t> &bytes) {
  using BondUse = ModelledState::BondUse;
  const bool may_bind = options.in_order_of_ids && options.positions && state.components == core::max_components;
  if (may_bind && !modelled.searched_bonds) {
    modelled.searched_bonds = true;
    modelled.bonds = Bonds::find(q, state.particles, box);
    modelled.new_bonds = !modelled.bonds.empty();
  }
  // Few bonds, and bonds that are fixed in one frame by chance, say less than the order of slots costs.
  constexpr std::size_t least_part = 8;
  if (modelled.bonds.fixed() < state.particles / least_part) modelled.bond_use = BondUse::avoided;
  const bool may_use = !modelled.bonds.empty() && modelled.bond_use != BondUse::avoided;
  if (!options.dense && !may_use) return false;
  if (!options.dense || !may_use || modelled.bond_use != BondUse::unknown) {
    append_section(state, modelled, q, box, options, bytes);
    return true;
  }
  // On a coarse grid bonds say less than what stands against them: the first section decides.
  ModelledState without = modelled;
  without.bond_use = BondUse::avoided;
  modelled.bond_use = BondUse::used;
  std::vector<std::uint8_t> other;
  append_section(state, without, q, box, options, other);
  const std::size_t begin = bytes.size();
  append_section(state, modelled, q, box, options, bytes);
  if (other.size() < bytes.size() - begin) {
    bytes.resize(begin);
    bytes.insert(bytes.end(), other.begin(), other.end());
    modelled = std::move(without);
  }
  return true;
}

void decode_modelled(const cpu::DifferenceState &state, ModelledState &modelled, const std::uint8_t *bytes,
                     std::size_t size, const core::GridBox &box, const cpu::IndexOutput &q) {
  const std::size_t axes = axes_of(state);
  modelled.prepare(state.particles);
  format::ByteReader in(bytes, size);
  const std::uint8_t model = in.u8();
  const std::uint8_t flags = in.u8();
  constexpr int others = slot_neighbours | space_neighbours | bound_particles;
  if (flags >= 32 || ((flags & lattice_neighbours) != 0 && ((flags & others) != 0 || model != lattice_model)) ||
      (flags & (space_neighbours | bound_particles)) == (space_neighbours | bound_particles) ||
      (flags & (slot_neighbours | space_neighbours)) == (slot_neighbours | space_neighbours) ||
      ((flags & bound_particles) != 0 && axes != core::max_components))
    corrupt("flags of a modelled section", 1);
  Prepared prepared;
  Walk &w = prepared.walk;
  w.contexts.levels = in.u8();
  w.contexts.base = in.u8();
  w.contexts.bonds = (flags & bound_particles) != 0;
  if (w.contexts.levels < 1 || w.contexts.levels > max_scale_levels || w.contexts.base > 64)
    corrupt("contexts of a modelled section", 2);
  for (std::size_t d = 0; d < axes; ++d) w.margin[d] = in.u32();
  const std::uint64_t exceptions = in.u64();
  if (exceptions > in.left() / sizeof(std::int64_t)) corrupt("number of exceptions", in.position());
  const std::uint8_t *const exceptions_at = bytes + in.position();
  std::size_t at = in.position() + static_cast<std::size_t>(exceptions) * sizeof(std::int64_t);
  if (model == temporal_model) {
    at += prepared.temporal.read(bytes + at, size - at);
    prepared.temporal.expect(state, prepared.expected);
  } else if (model == lattice_model) {
    at += modelled.lattice.read(state, bytes + at, size - at, box);
    modelled.lattice.expect(state, box, prepared.expected);
  } else if (model == pair_force_model) {
    at += modelled.forces.read(state, bytes + at, size - at, box);
    modelled.forces.expect(state, box, prepared.expected, 1);
  } else {
    corrupt("unknown model", 0);
  }
  if ((flags & new_bonds) != 0) at += modelled.bonds.read(bytes + at, size - at, state.particles);
  if (w.contexts.bonds && modelled.bonds.particles() != state.particles) corrupt("bonds that were never given", 1);
  if ((flags & lattice_neighbours) != 0) {
    w.echo = &modelled.echo;
    w.network = &modelled.lattice.network();
    at += w.echo->read(*w.network, bytes + at, size - at);
  }
  if ((flags & space_neighbours) != 0) {
    at += prepared.space.read(state, box, bytes + at, size - at);
    w.space = &prepared.space;
  }
  if ((flags & slot_neighbours) != 0) {
    if (!cpu::read_header(bytes + at, size - at, w.slots)) corrupt("coefficients of neighbours", at);
    at += cpu::header_size(w.slots);
  }
  for (; at % 8 != 0; ++at)
    if (at >= size || bytes[at] != 0) corrupt("padding of a modelled section", at);
  prepared.connect(state, box, modelled);
  Remainders remainders;
  for (std::size_t d = 0; d < axes; ++d) {
    remainders[d].assign(state.particles, 0);
    w.index[d] = q[d];
  }
  DecodeSide side{w, q, cpu::NumberDecoder(bytes + at, size - at, w.contexts.count()), exceptions_at, exceptions};
  model::walk(w, remainders, side);
  if (side.left != 0) corrupt("exceptions of a modelled section", 0);
  side.numbers.end();
  if (w.contexts.bonds) {
    cpu::IndexColumns indices{};
    for (std::size_t d = 0; d < axes; ++d) indices[d] = q[d];
    modelled.bonds.confirm(indices, w.box);
  }
}

}  // namespace gpz::model
