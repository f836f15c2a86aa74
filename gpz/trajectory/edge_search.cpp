// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/edge_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gpz/crystal/least_squares.hpp"

namespace gpz::trajectory {

using crystal::operator-;
using crystal::operator*;

namespace {

constexpr std::size_t most_seen = 16384;    // particles
constexpr std::size_t most_compared = 256;  // jumps, each with each
constexpr std::size_t most_jumps = 2048;    // whose bonds are looked at
constexpr std::size_t least_jumps = 4;      // that make an edge
constexpr std::size_t least_pairs = 8;      // that make an edge exact
constexpr int fit_turns = 8;
constexpr double least_error = 1.0 / 3;      // of the mean of several frames, by that of one
constexpr std::size_t reach = 3;             // slots to particles that may be bound
constexpr std::int64_t longest_direct = 8;   // a bond is shorter than this part of the period
constexpr std::int64_t likely_tilted = 256;  // an edge that is only guessed is straight unless it leans by more than
constexpr std::int64_t surely_tilted = 512;  // four of these parts of the period; one that is exact, by more than this

double number(std::int64_t x) { return static_cast<double>(x); }

crystal::Vector3 vector_of(const molecule::Way &way) { return {number(way[0]), number(way[1]), number(way[2])}; }

// Component d of edge `axis` in TiltedEdges::tilts, d < axis.
std::size_t tilt_of(std::size_t axis, std::size_t d) { return axis + d - 1; }

}  // namespace

// Takes over what is known of an edge. What differs by less than a step stays: ways across the edge would change.
void EdgeSearch::take(std::size_t axis) {
  const auto set = [](std::int64_t &edge, double found) {
    if (std::fabs(number(edge) - found) > 0.75) edge = std::llround(found);
  };
  for (std::size_t d = 0; d < axis; ++d) set(edges_.tilts[tilt_of(axis, d)], known_[axis].edge[d]);
  set(edges_.axes[axis].period, known_[axis].edge[axis]);
}

void EdgeSearch::find_jumps(const cpu::IndexColumns &q, const cpu::IndexColumns &last, std::size_t components,
                            std::size_t n) {
  jumps_.clear();
  range_ = {};
  const std::size_t stride = n / most_seen + 1;
  const auto is_near = [](std::int64_t x) { return x <= core::max_axis_reach && x >= -core::max_axis_reach; };
  for (std::size_t d = 0; d < components; ++d) {
    std::int64_t least = core::max_axis_reach;
    std::int64_t most = -core::max_axis_reach;
    for (std::size_t i = 0; i < n; i += stride) {
      if (!is_near(q[d][i])) continue;
      least = std::min(least, q[d][i]);
      most = std::max(most, q[d][i]);
    }
    range_[d] = std::max(most - least, std::int64_t{0});
  }
  for (std::size_t i = 0; i < n; i += stride) {
    Jump jump{i, {}};
    bool is_long = false;
    bool is_known = true;
    for (std::size_t d = 0; d < components; ++d) {
      is_known = is_known && is_near(q[d][i]) && is_near(last[d][i]);
      jump.way[d] = core::difference_of(q[d][i], last[d][i]);
      is_long = is_long || jump.way[d] > range_[d] / 4 || jump.way[d] < -(range_[d] / 4);
    }
    if (is_long && is_known) jumps_.push_back(jump);
  }
}

// Whether most jumps are short ways through the edges that are known.
bool EdgeSearch::explains_jumps() const {
  const molecule::Cell cell(edges_.axes, edges_.tilts);
  std::size_t explained = 0;
  for (const Jump &jump : jumps_) {
    Way way = jump.way;
    cell.shorten(way);
    bool is_short = true;
    for (std::size_t d = 0; d < way.size(); ++d) {
      const std::int64_t period = edges_.axes[d].period;
      is_short = is_short && std::llabs(way[d]) <= (period != 0 ? period : range_[d]) / 4;
    }
    explained += is_short ? 1 : 0;
  }
  return 2 * explained > jumps_.size();
}

// The most frequent way of particles that jump along this axis, and along no later one.
void EdgeSearch::guess(std::size_t axis) {
  core::GridBox later{};
  std::int64_t straight = range_[axis];  // what edges that lean leave of the range
  for (std::size_t e = axis + 1; e < later.size(); ++e) {
    later[e] = edges_.axes[e];
    straight -= std::llabs(edges_.tilts[tilt_of(e, axis)]);
  }
  const molecule::Cell cell(later, edges_.tilts);
  const std::int64_t least = std::max(straight / 2, range_[axis] / 4);
  std::vector<Way> ways;
  for (const Jump &jump : jumps_) {
    if (ways.size() == most_compared) break;
    Way way = jump.way;
    cell.shorten(way);
    bool is_along = std::llabs(way[axis]) > least;
    for (std::size_t e = axis + 1; e < way.size(); ++e) is_along = is_along && std::llabs(way[e]) <= range_[e] / 4;
    if (is_along) ways.push_back(way[axis] > 0 ? way : molecule::difference_of({}, way));
  }
  const auto are_near = [&](const Way &a, const Way &b) {
    for (std::size_t d = 0; d <= axis; ++d)
      if (std::llabs(a[d] - b[d]) > range_[d] / 8) return false;
    return true;
  };
  std::size_t most = 0;
  Way centre{};
  for (const Way &way : ways) {
    const auto count = static_cast<std::size_t>(
        std::count_if(ways.begin(), ways.end(), [&](const Way &other) { return are_near(way, other); }));
    if (count <= most) continue;
    most = count;
    centre = way;
  }
  if (most < least_jumps || 4 * most < ways.size()) return;
  Estimate estimate;
  for (std::size_t d = 0; d <= axis; ++d) {
    std::vector<std::int64_t> values;
    for (const Way &way : ways)
      if (are_near(centre, way)) values.push_back(way[d]);
    estimate.edge[d] = number(crystal::median(values));
    estimate.error[d] = number(range_[d]) / number(likely_tilted);
  }
  if (estimate.edge[axis] >= 8) known_[axis] = estimate;
  take(axis);
}

void EdgeSearch::find_pairs(const cpu::IndexColumns &q, const cpu::IndexColumns &last, std::size_t components,
                            std::size_t n) {
  const molecule::Cell cell(edges_.axes, edges_.tilts);
  std::int64_t shortest = core::max_axis_reach;
  for (const core::GridAxis &axis : edges_.axes)
    if (axis.period != 0) shortest = std::min(shortest, axis.period);
  const double longest_bond = number(shortest / longest_direct);
  for (auto &pairs : pairs_) pairs.clear();
  const auto look_at = [&](const Jump &jump, std::size_t other) {
    Way now{};
    Way before{};
    for (std::size_t d = 0; d < components; ++d) {
      now[d] = core::difference_of(q[d][jump.slot], q[d][other]);
      before[d] = core::difference_of(last[d][jump.slot], last[d][other]);
    }
    Way change = molecule::difference_of(now, before);
    const molecule::Image image = cell.shorten(change);
    std::size_t axis = 0;
    int edges = 0;
    for (std::size_t d = 0; d < image.size(); ++d) {
      if (image[d] != 0) axis = d;
      edges += std::abs(image[d]);
    }
    if (edges != 1) return;
    // The way across the cell is the direct one and the edge.
    const bool is_now = crystal::squared(vector_of(now)) > crystal::squared(vector_of(before));
    Pair pair{is_now ? now : before, is_now ? before : now};
    if ((image[axis] > 0) != is_now) {
      pair.across = molecule::difference_of({}, pair.across);
      pair.direct = molecule::difference_of({}, pair.direct);
    }
    if (crystal::length(vector_of(pair.direct)) <= longest_bond &&
        crystal::length(vector_of(pair.across) - known_[axis].edge) <= longest_bond)
      pairs_[axis].push_back(pair);
  };
  const std::size_t count = std::min(jumps_.size(), most_jumps);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t slot = jumps_[k].slot;
    for (std::size_t lag = 1; lag <= reach; ++lag) {
      if (slot >= lag) look_at(jumps_[k], slot - lag);
      if (slot + lag < n) look_at(jumps_[k], slot + lag);
    }
  }
}

// Bonds keep their length: the edge with which they do, those that hardly change counting most.
EdgeSearch::Estimate EdgeSearch::fit(const std::vector<Pair> &pairs, std::size_t axis, const Vector &start) {
  Estimate estimate{start, {}, 0};
  std::vector<double> off(pairs.size());
  std::vector<double> sizes(pairs.size());
  for (int turn = 0; turn < fit_turns; ++turn) {
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      off[k] =
          crystal::length(vector_of(pairs[k].across) - estimate.edge) - crystal::length(vector_of(pairs[k].direct));
      sizes[k] = std::fabs(off[k]);
    }
    const auto quarter = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 4);
    std::nth_element(sizes.begin(), quarter, sizes.end());
    estimate.change = std::max(2 * *quarter, 0.5);
    crystal::LeastSquares equations(axis + 1);
    Vector weights{};
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const Vector way = vector_of(pairs[k].across) - estimate.edge;
      const double length = crystal::length(way);
      if (length < 1) continue;
      const double size = off[k] / estimate.change;
      const double root = std::sqrt(1 / (1 + size * size));
      const Vector direction = root / length * way;
      equations.add(direction.data(), root * off[k]);
      for (std::size_t d = 0; d <= axis; ++d) weights[d] += direction[d] * direction[d];
    }
    const std::vector<double> step = equations.solve(0);
    for (std::size_t d = 0; d <= axis; ++d) {
      estimate.edge[d] += step[d];
      estimate.error[d] = 1.5 * estimate.change / std::sqrt(std::max(weights[d], 1e-6));
    }
  }
  return estimate;
}

void EdgeSearch::refine(std::size_t axis) {
  const std::vector<Pair> &pairs = pairs_[axis];
  if (pairs.size() < least_pairs) return;
  Vector middle{};
  for (std::size_t d = 0; d <= axis; ++d) {
    std::vector<std::int64_t> values;
    for (const Pair &pair : pairs) values.push_back(pair.across[d] - pair.direct[d]);
    middle[d] = number(crystal::median(values));
  }
  Estimate &known = known_[axis];
  Estimate found = fit(pairs, axis, middle);
  const Estimate near_known = fit(pairs, axis, known.edge);
  if (near_known.change <= found.change) found = near_known;
  bool agrees = true;
  for (std::size_t d = 0; d <= axis; ++d) {
    const double difference = std::fabs(found.edge[d] - known.edge[d]);
    if (!(difference <= number(range_[d] / 8))) return;
    const double variance = known.error[d] * known.error[d] + found.error[d] * found.error[d];
    agrees = agrees && difference <= std::max(3 * std::sqrt(variance), 1.0);
  }
  // The mean of some frames is better than one, while the box is the same.
  for (std::size_t d = 0; d <= axis && agrees; ++d) {
    const double part =
        known.error[d] * known.error[d] / (known.error[d] * known.error[d] + found.error[d] * found.error[d]);
    found.edge[d] = known.edge[d] + part * (found.edge[d] - known.edge[d]);
    found.error[d] *= std::max(std::sqrt(part), least_error);
  }
  known = found;
  take(axis);
}

// Edges that lean by no more than they are uncertain stand upright.
void EdgeSearch::straighten() {
  for (std::size_t axis = 1; axis < core::max_components; ++axis)
    for (std::size_t d = 0; d < axis; ++d) {
      const double uncertain = std::max(4 * known_[axis].error[d], known_[axis].edge[axis] / surely_tilted);
      if (std::fabs(known_[axis].edge[d]) > uncertain) return;
    }
  edges_.tilts = {};
}

void EdgeSearch::update(const cpu::IndexColumns &q, const cpu::IndexColumns &last, std::size_t components,
                        std::size_t n) {
  find_jumps(q, last, components, n);
  if (jumps_.size() < least_jumps) return;
  if (!explains_jumps()) {
    edges_ = {};
    known_ = {};
  }
  for (std::size_t axis = components; axis-- > 0;)
    if (edges_.axes[axis].period == 0) guess(axis);
  find_pairs(q, last, components, n);
  for (std::size_t axis = components; axis-- > 0;)
    if (edges_.axes[axis].period != 0) refine(axis);
  straighten();
}

}  // namespace gpz::trajectory
