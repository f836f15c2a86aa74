// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/model/modelled_choice.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "gpz/codec/functions.hpp"
#include "gpz/model/margin.hpp"
#include "gpz/model/scale_levels.hpp"

namespace gpz::model {
namespace {

// Estimated bits of the remainders of a sample of particles, up to a constant.
double rough_bits(const Remainders &remainders) {
  constexpr std::size_t sample = 8192;
  double bits = 0;
  for (const auto &column : remainders) {
    const std::size_t stride = column.size() / sample + 1;
    for (std::size_t i = 0; i < column.size(); i += stride)
      bits += codec::log2_of(1 + std::abs(static_cast<double>(column[i])));
  }
  return bits;
}

// Bits per value that neighbours in slots save, estimated on a sample.
double gain_of(const codec::Neighbours &slots, const Remainders &remainders) {
  constexpr std::size_t lags = codec::max_neighbour_lags;
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
  return count == 0 || after <= 0 ? 0 : 0.5 * codec::log2_of(before / after);
}

// Compares models. Holds the best one so far and its expectation.
struct ModelComparison {
  const codec::DifferenceState &state;
  const codec::IndexColumns &q;
  const core::GridBox &box;
  ModelledPlan &plan;
  Remainders &remainders;
  std::vector<std::uint8_t> &parameters;
  int threads = 1;
  double least = 0;

  template <typename Model>
  struct Entry {
    typename Model::Update update;
    typename Model::Search search;
  };

  // Returns the new entry if the model is better than the best so far. For other models, at most their search changes.
  template <typename Model>
  std::optional<Entry<Model>> enter(std::uint8_t number, Model &model, typename Model::Search &search) {
    Entry<Model> entry;
    entry.search = search;
    std::vector<std::uint8_t> bytes;
    if (!model.fit(state, q, box, entry.search, entry.update, bytes, threads)) {
      search = std::move(entry.search);  // keep the result of the failed search
      return std::nullopt;
    }
    Expectation expected;
    model.expect(state, box, entry.update, expected, threads);
    Remainders left;
    find_remainders(state, expected, q, box, left, threads);
    const double bits = rough_bits(left);
    if (bits >= least) {
      if (Model::keeps_search_of_loser) search = std::move(entry.search);
      return std::nullopt;
    }
    least = bits;
    plan.model = number;
    parameters = std::move(bytes);
    plan.expected = std::move(expected);
    remainders = std::move(left);
    return std::optional<Entry<Model>>(std::move(entry));
  }
};

// Chooses the model whose expectation is nearest to the actual positions. Appends its parameters.
void choose_model(const codec::DifferenceState &state, ModelledState &modelled, const codec::IndexColumns &q,
                  const core::GridBox &box, bool all, int threads, ModelledPlan &plan, Remainders &remainders,
                  std::vector<std::uint8_t> &parameters) {
  plan.temporal.fit(state, q, box, parameters);
  plan.temporal.expect(state, plan.expected, threads);
  find_remainders(state, plan.expected, q, box, remainders, threads);
  if (!all) return;
  ModelComparison models{state, q, box, plan, remainders, parameters, threads, rough_bits(remainders)};
  ModelledSearch &search = plan.update.search;
  auto lattice = models.enter(ModelledPlan::lattice, modelled.lattice, search.lattice);
  auto forces = models.enter(ModelledPlan::pair_force, modelled.forces, search.forces);
  if (plan.model == ModelledPlan::lattice) {
    plan.update.lattice = std::move(lattice->update);
    search.lattice = std::move(lattice->search);
  } else if (plan.model == ModelledPlan::pair_force) {
    plan.update.forces = std::move(forces->update);
    search.forces = forces->search;
  }
}

// Adds neighbours in the lattice. Returns false if they do not help.
bool take_lattice_neighbours(const codec::DifferenceState &state, LatticeNeighbourPredictor &predictor,
                             const codec::IndexColumns &q, const core::GridBox &box, int threads, ModelledPlan &plan,
                             std::vector<std::uint8_t> &parameters) {
  const std::size_t at = parameters.size();
  if (!predictor.fit(*plan.update.lattice->network, state, q, box, plan.expected, parameters, threads)) return false;
  plan.read_lattice_neighbours(predictor, &parameters[at], parameters.size() - at);
  return true;
}

// Fits the weights of neighbours in slots by least squares (docs/decisions/0013).
codec::Neighbours fit_slots(const Remainders &remainders, std::size_t n, std::size_t axes) {
  constexpr std::uint32_t period = codec::NeighbourSums::period;
  codec::NeighbourSums sums;
  constexpr std::size_t stretch = 384;  // a multiple of the period
  const std::size_t step = std::max<std::size_t>((n + 16 * stretch - 1) / (16 * stretch), 1) * stretch;
  for (std::size_t d = 0; d < axes; ++d)
    for (std::size_t first = 0; first < n; first += step)
      for (std::size_t i = std::max<std::size_t>(first, codec::max_neighbour_lags); i < std::min(n, first + stretch);
           ++i)
        for (std::size_t j = 0; j <= codec::max_neighbour_lags; ++j)
          sums.product[j][i % period] += std::int64_t{remainders[d][i]} * remainders[d][i - j];
  return codec::fit_neighbours(sums, n * axes);
}

}  // namespace

std::vector<std::uint8_t> choose_plan(const codec::DifferenceState &state, ModelledState &modelled,
                                      const codec::IndexColumns &q, const core::GridBox &box,
                                      const ModelledOptions &options, ModelledPlan &plan, Remainders &remainders) {
  const auto axes = static_cast<std::size_t>(state.components);
  std::vector<std::uint8_t> parameters;
  Walk &w = plan.walk;
  const int threads = options.threads;
  choose_model(state, modelled, q, box, options.positions, threads, plan, remainders, parameters);
  const bool in_lattice =
      plan.model == ModelledPlan::lattice &&
      take_lattice_neighbours(state, modelled.lattice_neighbours, q, box, threads, plan, parameters);
  if (in_lattice) plan.flags |= ModelledPlan::lattice_neighbours;
  // Otherwise choose neighbours in slots or in space, whichever saves more.
  double gain = 0;
  std::vector<std::uint8_t> space;
  if (options.positions && !in_lattice) gain = modelled.space.get().fit(state, box, remainders, space, threads);
  if (options.in_order_of_ids && !in_lattice) {
    w.slots = fit_slots(remainders, state.particles, axes);
    if (gain_of(w.slots, remainders) > gain) {
      gain = 0;
      plan.flags |= ModelledPlan::slot_neighbours;
      const std::size_t at = parameters.size();
      parameters.resize(at + codec::header_size(w.slots));
      codec::write_header(w.slots, &parameters[at]);
    } else {
      w.slots = {};
    }
  }
  if (gain > 0) {
    plan.flags |= ModelledPlan::space_neighbours;
    w.space = &modelled.space.get();
    parameters.insert(parameters.end(), space.begin(), space.end());
  }
  choose_levels(plan.update.scale, w.contexts, threads);
  for (std::size_t d = 0; d < axes; ++d)
    w.margin[d] = find_margin(q[d], state.particles, core::checked_axis(box[d]), threads);
  plan.connect(state, box);
  return parameters;
}

}  // namespace gpz::model
