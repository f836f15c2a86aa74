// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/edge_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gpz/trajectory/bond_lengths.hpp"

namespace gpz::trajectory {
namespace {

constexpr std::size_t most_ranged = 1024;   // particles for the range of coordinates
constexpr std::size_t most_seen = 16384;    // particles in the search for jumps
constexpr std::size_t most_compared = 32;   // jumps that are compared with each other
constexpr std::size_t most_averaged = 512;  // jumps
constexpr std::size_t most_vectors = 4096;  // particles for vectors from neighbouring slots
constexpr std::size_t most_moves = 4096;    // particles for the usual displacement
constexpr std::size_t most_jumps = 2048;    // jumping particles whose bonds are used
constexpr std::size_t least_jumps = 4;      // needed for an edge
constexpr std::size_t most_bonds = 256;     // across an edge
constexpr std::size_t least_bonds = 8;      // of one frame
constexpr std::size_t reach = 3;            // slots between particles that may be bound
constexpr std::int64_t longest_direct = 8;  // bonds are shorter than period / longest_direct
constexpr double surely_guessed = 256;      // the error of a guess is at least the range divided by this
constexpr double surely_tilted = 512;       // edges that lean by less than the period divided by this are straight

bool is_near(std::int64_t x) { return x <= core::max_axis_reach && x >= -core::max_axis_reach; }

double number(std::int64_t x) { return static_cast<double>(x); }

crystal::Vector3 vector_of(const molecule::GridVector &vector) {
  return {number(vector[0]), number(vector[1]), number(vector[2])};
}

// Component d of edge `axis` in TiltedEdges::tilts, d < axis.
std::size_t tilt_of(std::size_t axis, std::size_t d) { return axis + d - 1; }

}  // namespace

// Updates the known edge. Keeps components that differ by less than a step, because all vectors across the edge would
// change with them.
void EdgeSearch::take(std::size_t axis) {
  const auto set = [](std::int64_t &edge, double found) {
    if (std::fabs(number(edge) - found) > 0.75) edge = std::llround(found);
  };
  for (std::size_t d = 0; d < axis; ++d) set(edges_.tilts[tilt_of(axis, d)], known_[axis].edge[d]);
  set(edges_.axes[axis].period, known_[axis].edge[axis]);
}

void EdgeSearch::find_range(const codec::IndexColumns &q, std::size_t components, std::size_t n) {
  range_ = {};
  for (std::size_t d = 0; d < components; ++d) {
    std::int64_t low = core::max_axis_reach;
    std::int64_t high = -core::max_axis_reach;
    for (std::size_t i = 0; i < n; i += n / most_ranged + 1) {
      if (!is_near(q[d][i])) continue;
      low = std::min(low, q[d][i]);
      high = std::max(high, q[d][i]);
    }
    range_[d] = std::max(high - low, std::int64_t{0});
  }
}

void EdgeSearch::find_jumps(const codec::IndexColumns &q, const codec::IndexColumns &last, std::size_t components,
                            std::size_t n) {
  jumps_.clear();
  const std::size_t stride = n / most_seen + 1;
  gap_ = std::max(stride, reach);
  const auto is_long = [&](std::size_t d, std::size_t i) {
    // One comparison for -most <= x <= most.
    const auto shifted =
        static_cast<std::uint64_t>(core::sum_of(core::difference_of(q[d][i], last[d][i]), range_[d] / 4));
    return shifted > 2 * static_cast<std::uint64_t>(range_[d] / 4);
  };
  const auto is_jump = [&](std::size_t i) {
    for (std::size_t d = 0; d < components; ++d)
      if (is_long(d, i)) return true;
    return false;
  };
  for (std::size_t i = 0; i < n; i += stride) {
    if (!is_jump(i)) continue;
    Jump jump{i, {}};
    bool is_known = true;
    for (std::size_t d = 0; d < components; ++d) {
      is_known = is_known && is_near(q[d][i]) && is_near(last[d][i]);
      jump.vector[d] = core::difference_of(q[d][i], last[d][i]);
    }
    if (is_known) jumps_.push_back(jump);
  }
}

// Whether most jumps are short displacements across the known edges.
bool EdgeSearch::explains_jumps() const {
  const molecule::Cell cell(edges_.axes, edges_.tilts);
  std::size_t explained = 0;
  for (const Jump &jump : jumps_) {
    GridVector vector = jump.vector;
    cell.shorten(vector);
    bool is_short = true;
    for (std::size_t d = 0; d < vector.size(); ++d) {
      const std::int64_t period = edges_.axes[d].period;
      is_short = is_short && std::llabs(vector[d]) <= (period != 0 ? period : range_[d]) / 4;
    }
    explained += is_short ? 1 : 0;
  }
  return 2 * explained > jumps_.size();
}

// Usual difference between an edge and the jumps across it. Fast particles jump more often, so moves are weighted.
double EdgeSearch::usual_move(const std::int64_t *q, const std::int64_t *last, std::size_t n, std::size_t axis) const {
  const std::int64_t most = range_[axis] / 4;
  const double range = number(range_[axis]);
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < n; i += n / most_moves + 1) {
    const std::int64_t moved = core::difference_of(q[i], last[i]);
    if (moved > most || moved < -most) continue;
    const double size = std::fabs(number(moved));
    const double chance = size / (range - size);
    sum += chance * size;
    count += chance;
  }
  return count > 0 ? sum / count : 0;
}

// Most frequent vector in jumps_, pointing upwards, across the edge of this axis and across no later one.
EdgeSearch::JumpVectors EdgeSearch::most_frequent(std::size_t axis) const {
  core::GridBox later{};
  std::int64_t straight = range_[axis];  // range without the part of leaning edges
  for (std::size_t e = axis + 1; e < later.size(); ++e) {
    later[e] = edges_.axes[e];
    straight -= std::llabs(edges_.tilts[tilt_of(e, axis)]);
  }
  const molecule::Cell cell(later, edges_.tilts);
  const std::int64_t least = std::max(straight / 2, range_[axis] / 4);
  std::vector<Jump> along;
  for (const Jump &jump : jumps_) {
    if (along.size() == most_averaged) break;
    GridVector vector = jump.vector;
    cell.shorten(vector);
    bool is_along = std::llabs(vector[axis]) > least;
    for (std::size_t e = axis + 1; e < vector.size(); ++e)
      is_along = is_along && std::llabs(vector[e]) <= range_[e] / 4;
    if (is_along) along.push_back({jump.slot, vector[axis] > 0 ? vector : molecule::difference_of({}, vector)});
  }
  const auto are_near = [&](const Jump &a, const Jump &b) {
    for (std::size_t d = 0; d <= axis; ++d)
      if (std::llabs(a.vector[d] - b.vector[d]) > range_[d] / 8) return false;
    return true;
  };
  std::size_t most = 0;
  Jump centre{};
  for (std::size_t k = 0; k < std::min(along.size(), most_compared); ++k) {
    const auto count = static_cast<std::size_t>(
        std::count_if(along.begin(), along.end(), [&](const Jump &other) { return are_near(along[k], other); }));
    if (count <= most) continue;
    most = count;
    centre = along[k];
  }
  if (most < least_jumps || 8 * most < along.size()) return {};
  JumpVectors vectors;
  for (const Jump &jump : along)
    if (are_near(centre, jump)) vectors.add(jump.slot, jump.vector, gap_);
  return vectors;
}

// Estimates of the edge of this axis, one from each jump across it, given an approximate edge.
EdgeSearch::JumpVectors EdgeSearch::jumps_through(std::size_t axis) const {
  const molecule::Cell cell(edges_.axes, edges_.tilts);
  GridVector edge{};
  for (std::size_t d = 0; d < axis; ++d) edge[d] = edges_.tilts[tilt_of(axis, d)];
  edge[axis] = edges_.axes[axis].period;
  JumpVectors vectors;
  for (const Jump &jump : jumps_) {
    GridVector rest = jump.vector;
    const int sign = cell.shorten(rest)[axis];
    if (sign == 0) continue;
    vectors.add(jump.slot, sign > 0 ? molecule::sum_of(edge, rest) : molecule::difference_of(edge, rest), gap_);
  }
  return vectors;
}

// Robust estimate: medians, and errors from the median deviation.
EdgeEstimate EdgeSearch::mean_of(const JumpVectors &vectors, std::size_t axis) const {
  EdgeEstimate found;
  std::vector<std::int64_t> values(vectors.all.size());
  for (std::size_t d = 0; d <= axis; ++d) {
    std::transform(vectors.all.begin(), vectors.all.end(), values.begin(),
                   [&](const GridVector &vector) { return vector[d]; });
    const std::int64_t middle = crystal::median(values);
    for (std::int64_t &value : values) value = std::llabs(value - middle);
    const double deviation = 1.5 * number(crystal::median(values));
    found.edge[d] = number(middle);
    found.error[d] = std::max(1.3 * deviation / std::sqrt(static_cast<double>(vectors.molecules)),
                              number(range_[d]) / surely_guessed);
  }
  return found;
}

// Finds bonds between jumping particles and particles in neighbouring slots that do not jump.
void EdgeSearch::find_bonds(const codec::IndexColumns &q, const codec::IndexColumns &last, std::size_t components,
                            std::size_t n) {
  const molecule::Cell cell(edges_.axes, edges_.tilts);
  std::int64_t shortest = core::max_axis_reach;
  for (const core::GridAxis &axis : edges_.axes)
    if (axis.period != 0) shortest = std::min(shortest, axis.period);
  const double longest_bond = number(shortest / longest_direct);
  for (auto &bonds : bonds_) bonds.clear();
  const auto add = [&](const Jump &jump, std::size_t other) {
    GridVector now{};
    GridVector before{};
    for (std::size_t d = 0; d < components; ++d) {
      now[d] = core::difference_of(q[d][jump.slot], q[d][other]);
      before[d] = core::difference_of(last[d][jump.slot], last[d][other]);
    }
    GridVector change = molecule::difference_of(now, before);
    const molecule::Image image = cell.shorten(change);
    std::size_t axis = 0;
    int edges = 0;
    for (std::size_t d = 0; d < image.size(); ++d) {
      if (image[d] != 0) axis = d;
      edges += std::abs(image[d]);
    }
    if (edges != 1) return;
    // Edges may change from frame to frame, so only bonds across the edge in this frame count.
    if (crystal::squared(vector_of(now)) <= crystal::squared(vector_of(before))) return;
    const double sign = image[axis];
    const BondAcross bond{sign * vector_of(now), sign * vector_of(before)};
    if (bonds_[axis].size() < most_bonds && crystal::length(bond.direct) <= longest_bond &&
        crystal::length(bond.across - known_[axis].edge) <= longest_bond)
      bonds_[axis].push_back(bond);
  };
  const std::size_t count = std::min(jumps_.size(), most_jumps);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t slot = jumps_[k].slot;
    for (std::size_t lag = 1; lag <= reach; ++lag) {
      if (slot >= lag) add(jumps_[k], slot - lag);
      if (slot + lag < n) add(jumps_[k], slot + lag);
    }
  }
}

// Estimate of an approximately known edge from the bonds of this frame.
std::optional<EdgeEstimate> EdgeSearch::refined(std::size_t axis) const {
  const std::optional<EdgeEstimate> found = fit_edge(bonds_[axis], axis, known_[axis].edge);
  for (std::size_t d = 0; d <= axis && found; ++d)
    if (!(std::fabs(found->edge[d] - known_[axis].edge[d]) <= number(range_[d] / 8))) return {};
  return found;
}

// Straightens edges whose lean is within the error.
void EdgeSearch::straighten() {
  for (std::size_t axis = 1; axis < core::max_components; ++axis)
    for (std::size_t d = 0; d < axis; ++d) {
      const double uncertain = std::max(4 * known_[axis].error[d], known_[axis].edge[axis] / surely_tilted);
      if (std::fabs(known_[axis].edge[d]) > uncertain) return;
    }
  edges_.tilts = {};
}

void EdgeSearch::update(const codec::IndexColumns &q, const codec::IndexColumns &last, std::size_t components,
                        std::size_t n, bool is_thorough) {
  const auto is_found = [](const core::GridAxis &axis) { return axis.period != 0; };
  const auto end = edges_.axes.begin() + static_cast<std::ptrdiff_t>(components);
  if (!is_thorough && std::all_of(edges_.axes.begin(), end, is_found)) return;
  find_range(q, components, n);
  find_jumps(q, last, components, n);
  // If nearly all particles jump, they were moved together.
  const std::size_t seen = (n - 1) / (n / most_seen + 1) + 1;
  if (jumps_.size() < least_jumps || 4 * jumps_.size() > 3 * seen) return;
  if (!explains_jumps()) {
    edges_ = {};
    known_ = {};
  }
  const auto take_mean = [&](const JumpVectors &vectors, std::size_t axis) {
    if (vectors.all.size() < least_jumps) return;
    EdgeEstimate found = mean_of(vectors, axis);
    found.edge[axis] += usual_move(q[axis], last[axis], n, axis);
    known_[axis].update(found, axis);
    take(axis);
  };
  for (std::size_t axis = components; axis-- > 0;) {
    if (!is_found(edges_.axes[axis]))
      take_mean(most_frequent(axis), axis);
    else if (is_thorough && !known_[axis].is_exact)
      take_mean(jumps_through(axis), axis);
  }
  if (is_thorough) find_bonds(q, last, components, n);
  for (std::size_t axis = components; axis-- > 0 && is_thorough;) {
    if (!is_found(edges_.axes[axis])) continue;
    const std::optional<EdgeEstimate> found = refined(axis);
    if (!found) continue;
    known_[axis].update(*found, axis);
    take(axis);
  }
  straighten();
}

void EdgeSearch::look_at(const codec::IndexColumns &q, std::size_t components, std::size_t n) {
  if (edges_.axes[0].period != 0 || edges_.axes[1].period != 0 || edges_.axes[2].period != 0) return;
  find_range(q, components, n);
  std::vector<GridVector> long_vectors;
  std::vector<double> lengths;
  for (std::size_t i = reach; i < n; i += n / most_vectors + 1)
    for (std::size_t lag = 1; lag <= reach; ++lag) {
      GridVector vector{};
      bool is_long = false;
      bool is_known = true;
      for (std::size_t d = 0; d < components; ++d) {
        is_known = is_known && is_near(q[d][i]) && is_near(q[d][i - lag]);
        vector[d] = core::difference_of(q[d][i], q[d][i - lag]);
        is_long = is_long || std::llabs(vector[d]) > range_[d] / 2;
      }
      if (!is_known) continue;
      if (is_long)
        long_vectors.push_back(vector);
      else
        lengths.push_back(crystal::length(vector_of(vector)));
    }
  if (long_vectors.size() < least_bonds || lengths.empty()) return;
  const BondLengths usual(std::move(lengths));
  for (std::size_t axis = components; axis-- > 0;) {
    if (4 * usual.longest() > number(range_[axis])) continue;
    std::vector<crystal::Vector3> across;
    for (const GridVector &vector : long_vectors) {
      bool is_across = number(std::llabs(vector[axis])) > number(range_[axis]) - 2 * usual.longest();
      for (std::size_t d = 0; d < components; ++d)
        is_across = is_across && (d == axis || number(std::llabs(vector[d])) < usual.longest());
      if (is_across) across.push_back(number(vector[axis] > 0 ? 1 : -1) * vector_of(vector));
    }
    if (across.size() < least_bonds) continue;
    const double period = usual.period(across, axis, number(range_[axis]));
    if (period < 8) continue;
    known_[axis].edge[axis] = period;
    known_[axis].error[axis] = usual.longest() / 256;
    take(axis);
  }
}

}  // namespace gpz::trajectory
