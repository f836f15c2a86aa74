// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/cell_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "gpz/format/arithmetic.hpp"
#include "gpz/format/grid_box.hpp"

namespace gpz::trajectory {
namespace {

constexpr std::size_t sample_size = 8192;  // particles
// The axis in use is kept if at most one particle in this many misses it. A search that is not thorough replaces an
// axis only if many particles miss it: the GPU encoder, which does not search, keeps it.
constexpr std::size_t tolerated_part = 4096;
constexpr std::size_t tolerated_by_default = 64;
constexpr std::size_t few = 256;             // particles; below this number, a few misses mean nothing
constexpr std::size_t tolerated_of_few = 8;  // as tolerated_part
constexpr std::size_t miss = 128;            // cost of a particle beyond the margin, if a particle within it costs 1
constexpr std::size_t usual_part_within = 16;
constexpr std::int64_t far_away = core::max_axis_reach;

bool is_usable(const core::GridAxis &axis) { return core::checked_axis(axis).period != 0; }

// Cost of an axis for a sample: `miss` for each particle that is in another image than its shortest motion predicts. If
// that image is within the margin, the cost is 1, and 0 for a usual number of particles: LAMMPS leaves a few outside
// the edges for a while. On an open axis, particles that move further than half of `period` miss.
std::size_t misses(const std::vector<std::int64_t> &now, const std::vector<std::int64_t> &before,
                   const core::GridAxis &axis, std::int64_t period) {
  std::size_t missed = 0;
  std::size_t within_margin = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::int64_t moved = core::displacement(now[i], before[i], axis);
    if (axis.period == 0) {
      missed += moved > period / 2 || moved < -(period / 2) ? 1 : 0;
      continue;
    }
    const std::int64_t position = core::wrap(core::sum_of(before[i], moved), axis);
    if (position == now[i]) continue;
    if (core::other_image(position, axis, core::largest_margin(axis)) == now[i])
      ++within_margin;
    else
      ++missed;
  }
  const std::size_t usual = now.size() / usual_part_within;
  return missed * miss + (within_margin > usual ? within_margin - usual : 0);
}

// Lower end of a period with the particles in its middle.
std::int64_t centred(const std::vector<std::int64_t> &now, std::int64_t period) {
  std::vector<std::int64_t> sorted = now;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t outside = sorted.size() / 256;
  const std::int64_t low = sorted[outside];
  const std::int64_t high = sorted[sorted.size() - 1 - outside];
  return low + (high - low) / 2 - period / 2;
}

}  // namespace

void CellSearch::take_sample(const std::int64_t *q, const std::int64_t *last, std::size_t n) {
  sample_.now.clear();
  sample_.before.clear();
  const auto take = [&](std::size_t i, std::int64_t before) {
    if (q[i] > far_away || q[i] < -far_away || before > far_away || before < -far_away) return;
    sample_.now.push_back(q[i]);
    sample_.before.push_back(before);
  };
  const std::size_t stride = n / sample_size + 1;
  for (std::size_t i = last != nullptr ? 0 : 1; i < n; i += stride) take(i, last != nullptr ? last[i] : q[i - 1]);
}

core::GridAxis CellSearch::find_axis(const core::GridAxis &named, std::int64_t period, bool is_straight,
                                     bool is_thorough, Found &found) {
  const std::vector<std::int64_t> &now = sample_.now;
  const std::vector<std::int64_t> &before = sample_.before;
  if (now.empty() || (!is_straight && now.size() < few)) return is_straight ? named : core::GridAxis{};
  const std::size_t part = now.size() < few ? tolerated_of_few : is_thorough ? tolerated_part : tolerated_by_default;
  const auto enough = [&](std::size_t missed) { return missed * part <= now.size() * miss; };

  if (period < 8) return is_straight ? named : core::GridAxis{};
  const std::int64_t base = is_usable(named) ? named.lo : 0;
  const auto length = static_cast<double>(period);
  const auto kept = [&]() -> core::GridAxis {
    if (found.is_open) return {};
    return is_usable(named) ? core::GridAxis{base + std::llround(found.offset * length), period}
                            : core::GridAxis{found.lo, period};
  };
  // Without a box, edges that were found stay in use even while no particle crosses them.
  const core::GridAxis usual = is_straight ? named : is_usable(named) || !is_thorough_ ? core::GridAxis{} : kept();
  const std::size_t usual_misses = misses(now, before, usual, period);
  if (enough(usual_misses)) return usual;

  core::GridAxis best = usual;
  std::size_t fewest = usual_misses;
  const auto consider = [&](const core::GridAxis &axis) {
    const std::size_t missed = misses(now, before, axis, period);
    if (missed >= fewest) return;
    fewest = missed;
    best = axis;
  };
  consider(kept());
  if (fewest * tolerated_part <= now.size() * miss) return best;
  consider({});
  consider({centred(now, period), period});
  // Particles that cross an edge which is not parallel to this axis also move along this axis, whatever its period.
  if (!is_straight && !enough(fewest)) return usual;
  // A change of axis costs bits, so it must at least halve the misses.
  if (fewest > usual_misses / 2) return usual;
  found.is_open = best.period == 0;
  found.offset = static_cast<double>(best.lo - base) / length;
  found.lo = best.lo;
  return best;
}

FoundCell CellSearch::find(const Box &box, const Field &field, const codec::IndexColumns &q,
                           const codec::IndexColumns *last, std::size_t n) {
  const format::UsualArithmetic arithmetic;
  const core::GridBox straight = format::grid_box(box, field);
  const core::GridBox named = format::named_edges(box, field);
  const std::size_t components = field.components.size();
  const bool names_all = std::all_of(named.begin(), named.begin() + static_cast<std::ptrdiff_t>(components), is_usable);
  if (!names_all && last != nullptr)
    edges_.update(q, *last, components, n, is_thorough_ && box.kind == Box::Kind::none);
  else if (!names_all && is_thorough_)
    edges_.look_at(q, components, n);
  FoundCell out;
  for (std::size_t d = 0; d < components; ++d) {
    take_sample(q[d], last != nullptr ? (*last)[d] : nullptr, n);
    const bool is_thorough = is_thorough_ || box.kind == Box::Kind::none;
    const std::int64_t period = is_usable(named[d]) ? named[d].period : edges_.edges().axes[d].period;
    out.axes[d] = find_axis(named[d], period, straight[d].period != 0, is_thorough, found_[d]);
  }
  out.tilted = format::tilted_edges(box, field);
  if (box.kind == Box::Kind::none && edges_.is_tilted() && components == core::max_components)
    out.tilted = edges_.edges();
  if (out.tilted && last != nullptr && is_thorough_) corner_.find_corner(*out.tilted, q, n);
  return out;
}

}  // namespace gpz::trajectory
