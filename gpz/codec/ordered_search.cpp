// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/codec/ordered_search.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "gpz/core/block.hpp"

namespace gpz::codec {
namespace {

constexpr std::uint32_t search_block = OrderedScratch::block_size;
constexpr std::uint64_t max_sample = 4;   // blocks
constexpr std::uint32_t max_steps = 250;  // sampled steps per median
constexpr std::size_t short_tried = 3;    // short lags tried with whole blocks
constexpr std::size_t long_tried = 3;
constexpr int jump_bits = 3;              // a jump has this many bits more than usual
constexpr std::uint32_t least_count = 2;  // occurrences of a distance between jumps

using Costs = std::array<std::uint64_t, core::max_components>;

std::uint64_t total(const Costs &cost) { return cost[0] + cost[1] + cost[2]; }

struct Search {
  std::vector<OrderedBlock> sample;
  std::size_t particles;
  const OrderedKernels &kernels;
  OrderedScratch &scratch;

  int axes() const { return sample[0].components; }
  std::size_t components() const { return static_cast<std::size_t>(axes()); }

  // A block of the sample, linked.
  OrderedBlock linked(const OrderedPredictor &predictor, OrderedBlock block) {
    block.predictor = &predictor;
    kernels.link(block, scratch);
    return block;
  }

  // Sets the offsets of lag k to the median step of each component over the sample. Returns the rough bits per particle
  // of the residuals.
  double find_offsets(OrderedPredictor &predictor, int k) {
    std::array<std::vector<std::int64_t>, core::max_components> found;
    for (const OrderedBlock &b : sample) {
      const OrderedBlock block = linked(predictor, b);
      const auto stride = static_cast<std::uint32_t>(block.n * sample.size() / max_steps + 1);
      for (std::uint32_t i = 0; i < block.n; i += stride) {
        const std::uint32_t parent = scratch.parent[k][i];
        if (parent == OrderedScratch::no_parent) continue;
        for (std::size_t d = 0; d < components(); ++d)
          found[d].push_back(core::displacement(block.axes[d].q[i], block.axes[d].q[parent], block.axes[d].grid));
      }
    }
    double cost = 0;
    for (std::size_t d = 0; d < components(); ++d) {
      predictor.offset[k][d] = 0;
      if (found[d].empty()) continue;
      const auto middle = found[d].begin() + static_cast<std::ptrdiff_t>(found[d].size() / 2);
      std::nth_element(found[d].begin(), middle, found[d].end());
      const std::int64_t step = *middle;
      predictor.offset[k][d] = core::as_offset(step, sample[0].axes[d].grid);
      std::int64_t sum = 0;
      for (const std::int64_t other : found[d])
        sum += core::rough_bits(core::narrow_number(core::zigzag(core::difference_of(other, step))));
      cost += static_cast<double>(sum) / static_cast<double>(found[d].size());
    }
    return cost;
  }

  Costs costs(const OrderedPredictor &predictor) {
    Costs cost{};
    for (const OrderedBlock &b : sample) {
      const OrderedBlock block = linked(predictor, b);
      for (int d = 0; d < axes(); ++d) cost[static_cast<std::size_t>(d)] += kernels.measure(block, d, scratch);
    }
    return cost;
  }

  // The most frequent distances between particles at which the short lag fails, such as the rows of a crystal.
  std::vector<std::uint32_t> distances(const OrderedPredictor &predictor) {
    std::array<std::uint32_t, core::max_lag + 1> count{};
    std::array<bool, search_block> fails{};
    for (const OrderedBlock &b : sample) {
      const OrderedBlock block = linked(predictor, b);
      for (std::uint32_t i = 0; i < block.n; ++i) fails[i] = scratch.parent[0][i] == OrderedScratch::no_parent;
      for (int d = 0; d < axes(); ++d) {
        const auto usual = static_cast<int>(kernels.residuals(block, d, scratch) / block.n);
        for (std::uint32_t i = 0; i < block.n; ++i)
          fails[i] = fails[i] || core::bit_length(scratch.residual[i] >> 1) > usual + jump_bits;
      }
      std::vector<std::int64_t> failures;
      for (std::uint32_t i = 1; i < block.n; ++i)
        if (fails[i] && !fails[i - 1]) failures.push_back(block.ids != nullptr ? block.ids[i] : std::int64_t{i});
      for (std::size_t i = 0; i < failures.size(); ++i)
        for (std::size_t j = i + 1; j < failures.size(); ++j) {
          const auto distance = static_cast<std::uint64_t>(core::difference_of(failures[j], failures[i]));
          if (distance > core::max_lag) break;
          ++count[distance];
        }
    }
    std::vector<std::uint32_t> best;
    while (best.size() < long_tried) {
      const auto most = std::max_element(count.begin() + 1, count.end());
      if (*most < least_count) break;
      best.push_back(static_cast<std::uint32_t>(most - count.begin()));
      *most = 0;
    }
    return best;
  }

  OrderedPredictor choose() {
    std::vector<std::pair<double, OrderedPredictor>> candidates;
    for (std::uint32_t lag = 1; lag <= core::max_short_lag && lag < particles; ++lag) {
      OrderedPredictor candidate;
      candidate.lag[0] = lag;
      const double cost = find_offsets(candidate, 0);
      candidates.emplace_back(cost, candidate);
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    candidates.resize(std::min(candidates.size(), short_tried));
    OrderedPredictor best;  // no lag: all particles predicted at one position
    auto cost = costs(best);
    for (const auto &candidate : candidates) {
      const auto cost_of = costs(candidate.second);
      if (total(cost_of) >= total(cost)) continue;
      best = candidate.second;
      cost = cost_of;
    }
    if (best.lag[0] == 0) return best;

    const OrderedPredictor plain = best;
    for (const std::uint32_t lag : distances(plain)) {
      OrderedPredictor candidate = plain;
      candidate.lag[1] = lag;
      find_offsets(candidate, 1);
      auto cost_of = costs(candidate);
      candidate.swapped = (1u << axes()) - 1;
      const auto swapped = costs(candidate);
      for (std::size_t d = 0; d < components(); ++d) {
        if (swapped[d] >= cost_of[d]) candidate.swapped &= ~(1u << d);
        cost_of[d] = std::min(cost_of[d], swapped[d]);
      }
      if (total(cost_of) >= total(cost)) continue;
      best = candidate;
      cost = cost_of;
    }
    return best;
  }
};

}  // namespace

OrderedBlock ordered_block(const OrderedShape &shape, const IndexColumns &q, const IndexOutput &out,
                           const OrderedPredictor &predictor, std::uint64_t b) {
  const std::size_t first = b * search_block;
  OrderedBlock block{};
  block.n = static_cast<std::uint32_t>(std::min<std::size_t>(search_block, shape.particles - first));
  block.components = shape.components;
  block.ids = shape.ids == nullptr ? nullptr : shape.ids + first;
  block.predictor = &predictor;
  for (std::size_t d = 0; d < static_cast<std::size_t>(shape.components); ++d)
    block.axes[d] = {q[d] == nullptr ? nullptr : q[d] + first, out[d] == nullptr ? nullptr : out[d] + first,
                     core::checked_axis(shape.box[d])};
  return block;
}

std::vector<std::uint64_t> sampled_ordered_blocks(std::uint64_t blocks) {
  const std::uint64_t count = std::min(max_sample, blocks / 6 + 1);
  std::vector<std::uint64_t> sample;
  for (std::uint64_t k = 0; k < count; ++k) sample.push_back((2 * k + 1) * blocks / (2 * count));
  return sample;
}

OrderedPredictor choose_ordered_predictor(std::vector<OrderedBlock> sample, std::size_t particles,
                                          const OrderedKernels &kernels, OrderedScratch &scratch) {
  return Search{std::move(sample), particles, kernels, scratch}.choose();
}

OrderedPredictor choose_ordered_predictor(const OrderedShape &shape, const IndexColumns &q,
                                          const OrderedKernels &kernels, OrderedScratch &scratch) {
  std::vector<OrderedBlock> sample;
  for (const std::uint64_t b : sampled_ordered_blocks(core::blocks_of(shape.particles)))
    sample.push_back(ordered_block(shape, q, {}, {}, b));
  return choose_ordered_predictor(std::move(sample), shape.particles, kernels, scratch);
}

}  // namespace gpz::codec
