// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/modelled_section.hpp"

#include "gpz/codec/memory.hpp"
#include "gpz/codec/number_coder.hpp"
#include "gpz/codec/parallel.hpp"
#include "gpz/error.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/model/exceptions.hpp"
#include "gpz/model/modelled_choice.hpp"
#include "gpz/model/modelled_plan.hpp"
#include "gpz/model/walk.hpp"

namespace gpz::model {

using format::corrupt;

namespace {

struct EncodeSide {
  const Walk &walk;
  const codec::IndexColumns &q;
  codec::NumberEncoder numbers;
  std::vector<std::int64_t> exceptions;

  std::int64_t value(std::size_t i, std::size_t d, std::int32_t expected, unsigned context) {
    const core::GridAxis &grid = walk.box[d];
    const std::int64_t actual = q[d][i];
    const std::int64_t last = walk.last[d][i];
    const std::int64_t moved = core::displacement(actual, last, grid);
    const std::uint64_t u = core::residual_number(core::difference_of(moved, core::expected_step(expected)), expected);
    std::int64_t position = core::sum_of(last, moved);
    bool has_flag = false;
    bool flag = false;
    if (!walk.inner[d].has(position)) {
      position = core::wrap(position, grid);
      const std::int64_t other = core::other_image(position, grid, walk.margin[d]);
      has_flag = other != position;
      flag = has_flag && actual == other;
      if (flag) position = other;
    }
    if (u >= core::widest_residual || position != actual) {
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
  const codec::IndexOutput &q;
  codec::NumberDecoder numbers;
  ExceptionReader exceptions;

  std::int64_t value(std::size_t i, std::size_t d, std::int32_t expected, unsigned context) {
    const core::GridAxis &grid = walk.box[d];
    const std::int64_t last = walk.last[d][i];
    const std::uint32_t u = numbers.get(context);
    std::int64_t position;
    if (u == core::widest_residual) {
      position = exceptions.next();
    } else {
      position = core::sum_of(last, core::sum_of(core::expected_step(expected), core::numbered_residual(u, expected)));
      if (!walk.inner[d].has(position)) {
        position = core::wrap(position, grid);
        const std::int64_t other = core::other_image(position, grid, walk.margin[d]);
        if (other != position && numbers.get(walk.contexts.of_flag(core::beyond_edge(last, grid) != 0)) != 0)
          position = other;
      }
    }
    q[d][i] = position;
    return core::displacement(position, last, grid);
  }
};

// Remainders in the order of the pass.
Remainders in_order(const std::uint32_t *order, std::size_t axes, const Remainders &of_slots, int threads) {
  Remainders ordered;
  const std::size_t n = of_slots[0].size();
  for (std::size_t d = 0; d < axes; ++d) ordered[d].resize(n);
  codec::parallel_particles(threads, n, [&](std::size_t first, std::size_t last) {
    for (std::size_t d = 0; d < axes; ++d)
      for (std::size_t k = first; k < last; ++k) ordered[d][k] = of_slots[d][order[k]];
  });
  return ordered;
}

// The pass of an encoder, which knows all remainders: each thread codes a range of its steps.
EncodeSide encode_particles(const Walk &w, const codec::IndexColumns &q, Remainders &remainders, int threads) {
  const auto axes = static_cast<std::size_t>(w.components);
  if (w.space != nullptr) remainders = in_order(w.space->order(), axes, remainders, threads);
  const int used = codec::threads_for_particles(threads, w.particles);
  std::vector<EncodeSide> sides(static_cast<std::size_t>(used),
                                EncodeSide{w, q, codec::NumberEncoder(w.contexts.count()), {}});
  codec::parallel_ranges(used, w.particles, [&](int t, std::uint64_t first, std::uint64_t last) {
    EncodeSide &side = sides[static_cast<std::size_t>(t)];
    side.numbers.reserve((t == 0 ? w.particles : last - first) * axes);  // the first one takes all
    walk_range<true>(w, remainders, first, last, side);
  });
  EncodeSide &all = sides[0];
  for (std::size_t t = 1; t < sides.size(); ++t) {
    all.numbers.append(std::move(sides[t].numbers));
    all.exceptions.insert(all.exceptions.end(), sides[t].exceptions.begin(), sides[t].exceptions.end());
  }
  return std::move(all);
}

}  // namespace

ModelledUpdate encode_modelled(const codec::DifferenceState &state, ModelledState &modelled,
                               const codec::IndexColumns &q, const core::GridBox &box, const ModelledOptions &options,
                               std::vector<std::uint8_t> &bytes) {
  const auto axes = static_cast<std::size_t>(state.components);
  ModelledPlan plan;
  plan.update.search = modelled.search;
  plan.update.scale = modelled.scale;
  plan.update.scale.resize(state.particles, 0);
  Remainders remainders;
  const std::vector<std::uint8_t> parameters = choose_plan(state, modelled, q, box, options, plan, remainders);
  const Walk &w = plan.walk;
  EncodeSide side = encode_particles(w, q, remainders, options.threads);

  format::ByteWriter writer(bytes);
  writer.u8(plan.model);
  writer.u8(plan.flags);
  writer.u8(static_cast<std::uint8_t>(w.contexts.levels));
  writer.u8(static_cast<std::uint8_t>(w.contexts.base));
  for (std::size_t d = 0; d < axes; ++d) writer.u32(static_cast<std::uint32_t>(w.margin[d]));
  append_exceptions(side.exceptions, writer);
  bytes.insert(bytes.end(), parameters.begin(), parameters.end());
  writer.pad_to_8();
  side.numbers.finish(bytes, options.threads);
  return std::move(plan.update);
}

void decode_modelled(const codec::DifferenceState &state, ModelledState &modelled, const std::uint8_t *bytes,
                     std::size_t size, const core::GridBox &box, const codec::IndexOutput &q, int threads) {
  const auto axes = static_cast<std::size_t>(state.components);
  format::ByteReader in(bytes, size);
  ModelledPlan plan;
  Walk &w = plan.walk;
  ModelledUpdate &update = plan.update;
  update.scale = std::move(modelled.scale);
  update.scale.resize(state.particles, 0);
  plan.model = in.u8();
  plan.flags = in.u8();
  const bool slots = plan.has(ModelledPlan::slot_neighbours);
  const bool space = plan.has(ModelledPlan::space_neighbours);
  const bool lattice_neighbours = plan.has(ModelledPlan::lattice_neighbours);
  if (plan.has(ModelledPlan::bonds))
    throw format::left_the_format("a section of coding 4 with bonds", format::bonds_left_behind, 1);
  const int kinds_of_neighbours = int{slots} + int{space} + int{lattice_neighbours};
  if (plan.flags >= 32 || kinds_of_neighbours > 1 || (lattice_neighbours && plan.model != ModelledPlan::lattice))
    corrupt("flags of a modelled section", 1);
  w.contexts.levels = in.u8();
  w.contexts.base = in.u8();
  if (w.contexts.levels < 1 || w.contexts.levels > max_scale_levels || w.contexts.base > 64)
    corrupt("contexts of a modelled section", 2);
  for (std::size_t d = 0; d < axes; ++d) w.margin[d] = in.u32();
  const ExceptionReader exceptions(in);
  std::size_t at = in.position();
  if (plan.model == ModelledPlan::history) {
    at += plan.temporal.read(bytes + at, size - at);
    plan.temporal.expect(state, plan.expected, threads);
  } else if (plan.model == ModelledPlan::lattice) {
    at += modelled.lattice.read(state, bytes + at, size - at, box, update.lattice.emplace(), threads);
    modelled.lattice.expect(state, box, *update.lattice, plan.expected, threads);
  } else if (plan.model == ModelledPlan::pair_force) {
    at += modelled.forces.read(state, bytes + at, size - at, box, update.forces.emplace());
    modelled.forces.expect(state, box, *update.forces, plan.expected, threads);
  } else {
    corrupt("unknown model", 0);
  }
  if (lattice_neighbours) {
    at += plan.read_lattice_neighbours(modelled.lattice_neighbours, bytes + at, size - at);
    modelled.lattice_neighbours.start(*w.network);
  }
  if (space) {
    w.space = &modelled.space.get();
    at += modelled.space.get().read(state, box, bytes + at, size - at, threads);
  }
  if (slots) {
    if (!codec::read_header(bytes + at, size - at, w.slots)) corrupt("coefficients of neighbours", at);
    at += codec::header_size(w.slots);
  }
  for (; at % 8 != 0; ++at)
    if (at >= size || bytes[at] != 0) corrupt("padding of a modelled section", at);
  plan.connect(state, box);
  Remainders remainders;
  for (std::size_t d = 0; d < axes; ++d) remainders[d].assign(state.particles, 0);
  DecodeSide side{w, q, codec::NumberDecoder(bytes + at, size - at, w.contexts.count()), exceptions};
  model::walk(w, remainders, side);
  side.exceptions.end();
  side.numbers.end();
  update.search = std::move(modelled.search);
  modelled.commit(std::move(update));
}

}  // namespace gpz::model
