// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/crystal/neighbour_list.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "gpz/crystal/counting_sort.hpp"
#include "gpz/kernels/kernels.hpp"

namespace gpz::crystal {

namespace {

using core::difference_of;
using core::GridAxis;

constexpr std::int64_t most_units = std::int64_t{1} << 30;  // largest position
constexpr std::int64_t most_cells_of_axis = 1024;
// Cells are as wide as the cutoff. Along the first component they are half as wide, because successive cells are
// adjacent in memory there.
constexpr std::int64_t stencil[core::max_components] = {2, 1, 1};
constexpr int scale_bits = 53;

// Distance of q from the lower edge of a periodic axis.
std::int64_t from_edge(std::int64_t q, const GridAxis &axis) {
  const std::int64_t way = difference_of(q, axis.lo);
  if (way >= 0 && way < axis.period) return way;
  const std::int64_t rest = way % axis.period;
  return rest < 0 ? rest + axis.period : rest;
}

int shift_to(std::uint64_t value, std::uint64_t most) {
  int shift = 0;
  while (value >> shift > most) ++shift;
  return shift;
}

}  // namespace

struct NeighbourList::Cells {
  struct Axis {
    std::int64_t length = 1;  // in units
    bool periodic = false;
    std::int64_t count = 1;
    std::uint64_t scale = 0;  // cell = position * scale / 2^scale_bits

    // Whether the axis has so few cells that two particles may be neighbours in both directions.
    bool is_small(std::size_t d) const { return periodic && count <= 2 * stencil[d]; }
  };
  std::array<Axis, core::max_components> axes;

  std::int64_t total() const { return axes[0].count * axes[1].count * axes[2].count; }

  // Divides the box into at most `most` cells, wide enough for the stencil.
  void choose(std::uint32_t reach, std::int64_t most) {
    for (std::size_t d = 0; d < axes.size(); ++d) {
      Axis &axis = axes[d];
      // Leaves room for the rounding of the scale.
      const std::int64_t width = stencil[d] * axis.length - (axis.length >> 20) - 1;
      axis.count = std::clamp<std::int64_t>(width / reach, 1, most_cells_of_axis);
    }
    while (total() > most) {
      const auto largest =
          std::max_element(axes.begin(), axes.end(), [](const Axis &a, const Axis &b) { return a.count < b.count; });
      largest->count = (largest->count + 1) / 2;
    }
    for (Axis &axis : axes)
      axis.scale = (static_cast<std::uint64_t>(axis.count) << scale_bits) / static_cast<std::uint64_t>(axis.length);
  }

  // Cells of a row whose particles share their candidates. More of them have more candidates in vain, fewer spend more
  // time on finding the candidates than on comparing.
  std::int64_t cells_at_once(std::size_t n) const {
    constexpr std::int64_t particles = 6;
    constexpr std::int64_t most = 8;
    const Axis &axis = axes[0];
    // No cell may be a neighbour in both directions.
    const std::int64_t room = axis.periodic && !axis.is_small(0) ? axis.count - 2 * stencil[0] : most;
    return std::clamp<std::int64_t>(particles * total() / static_cast<std::int64_t>(n), 1, std::min(most, room));
  }

  std::int64_t cell(std::size_t d, std::int32_t at) const {
    const auto cell = static_cast<std::int64_t>(static_cast<std::uint64_t>(at) * axes[d].scale >> scale_bits);
    return std::min(cell, axes[d].count - 1);
  }
};

void NeighbourList::place(const codec::IndexColumns &q, std::size_t n, int components, const core::GridBox &box,
                          std::uint64_t cutoff, Cells &cells) {
  std::array<GridAxis, core::max_components> axes{};
  std::array<std::uint64_t, core::max_components> length{};
  shift_ = shift_to(cutoff, max_reach);
  for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
    axes[d] = core::checked_axis(box[d]);
    cells.axes[d].periodic = axes[d].period != 0;
    if (cells.axes[d].periodic) {
      length[d] = static_cast<std::uint64_t>(axes[d].period);
    } else {
      const auto [least, largest] = std::minmax_element(q[d], q[d] + n);
      axes[d].lo = *least;
      length[d] = static_cast<std::uint64_t>(difference_of(*largest, *least));
    }
    shift_ = std::max(shift_, shift_to(length[d], most_units - 1));
  }
  reach_ = static_cast<std::uint32_t>(cutoff >> shift_);
  for (std::size_t d = 0; d < at_slot_.size(); ++d) {
    at_slot_[d].assign(n, 0);
    if (d >= static_cast<std::size_t>(components)) continue;
    // An open axis includes its last unit; the last unit of a periodic axis may be incomplete.
    const std::uint64_t units = length[d] >> shift_;
    cells.axes[d].length = std::max<std::int64_t>(static_cast<std::int64_t>(units) + (axes[d].period == 0 ? 1 : 0), 1);
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t way =
          cells.axes[d].periodic ? from_edge(q[d][i], axes[d]) : difference_of(q[d][i], axes[d].lo);
      at_slot_[d][i] = static_cast<std::int32_t>(static_cast<std::uint64_t>(way) >> shift_);
    }
  }
}

void NeighbourList::sort(Cells &cells) {
  const std::size_t n = at_slot_[0].size();
  cell_of_slot_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t row = cells.cell(2, at_slot_[2][i]) * cells.axes[1].count + cells.cell(1, at_slot_[1][i]);
    const std::int64_t cell = row * cells.axes[0].count + cells.cell(0, at_slot_[0][i]);
    cell_of_slot_[i] = static_cast<std::uint32_t>(cell);
  }
  counting_sort(cell_of_slot_, static_cast<std::size_t>(cells.total()), cell_begin_, order_);
  for (std::size_t d = 0; d < at_.size(); ++d) {
    at_[d].resize(n + codec::PairKernels::padding);
    for (std::size_t place = 0; place < n; ++place) at_[d][place] = at_slot_[d][order_[place]];
  }
}

codec::PairCandidates NeighbourList::room_for_candidates(std::uint64_t count) {
  const std::size_t size = count + codec::PairKernels::padding;
  if (place_.size() < size) {
    for (auto &axis : near_) axis.resize(size);
    place_.resize(size);
    distance_.resize(size);
  }
  return {{near_[0].data(), near_[1].data(), near_[2].data()}, place_.data(), distance_.data()};
}

void NeighbourList::make_room(std::uint64_t pairs) {
  pairs += codec::PairKernels::padding;
  if (pairs <= partner_.size()) return;
  const std::uint64_t size = std::max<std::uint64_t>(pairs, partner_.size() + partner_.size() / 2);
  partner_.resize(size);
  for (auto &way : way_) way.resize(size);
}

// Finds the places of the particles in and around `width` cells of a row, up to their last particle, in ascending
// order.
void NeighbourList::find_runs(const Cells &cells, const std::array<std::int64_t, core::max_components> &cell,
                              std::int64_t width, std::uint32_t cell_end) {
  std::array<std::int64_t, core::max_components> from{};
  std::array<std::int64_t, core::max_components> to{};
  for (std::size_t d = 0; d < cells.axes.size(); ++d) {
    const Cells::Axis &axis = cells.axes[d];
    const bool all = axis.is_small(d);
    from[d] = all ? 0 : cell[d] - stencil[d];
    to[d] = all ? axis.count - 1 : cell[d] + stencil[d] + (d == 0 ? width - 1 : 0);
    if (!axis.periodic) {
      from[d] = std::max<std::int64_t>(from[d], 0);
      to[d] = std::min(to[d], axis.count - 1);
    }
  }
  runs_.clear();
  codec::CandidateRun run{};
  const auto inside = [&](std::size_t d, std::int64_t at) {
    const Cells::Axis &axis = cells.axes[d];
    const std::int64_t turns = at < 0 ? -1 : at >= axis.count ? 1 : 0;
    run.shift[d] = static_cast<std::int32_t>(turns * axis.length);
    return at - turns * axis.count;
  };
  bool ascending = true;
  for (std::int64_t z = from[2]; z <= to[2]; ++z) {
    const std::int64_t layer = inside(2, z) * cells.axes[1].count;
    if (cell_begin_[static_cast<std::size_t>(layer * cells.axes[0].count)] >= cell_end) continue;
    for (std::int64_t y = from[1]; y <= to[1]; ++y) {
      const std::int64_t other_row = (layer + inside(1, y)) * cells.axes[0].count;
      if (cell_begin_[static_cast<std::size_t>(other_row)] >= cell_end) continue;
      // Up to three ranges: below the lower edge, inside, above the upper edge.
      for (std::int64_t x = from[0]; x <= to[0];) {
        const std::int64_t first = inside(0, x);
        const std::int64_t length = std::min(to[0] - x + 1, cells.axes[0].count - first);
        run.begin = cell_begin_[static_cast<std::size_t>(other_row + first)];
        run.end = std::min(cell_begin_[static_cast<std::size_t>(other_row + first + length)], cell_end);
        if (run.begin < run.end) {
          ascending = ascending && (runs_.empty() || runs_.back().begin < run.begin);
          runs_.push_back(run);
        }
        x += length;
      }
    }
  }
  if (ascending) return;
  std::sort(runs_.begin(), runs_.end(),
            [](const codec::CandidateRun &a, const codec::CandidateRun &b) { return a.begin < b.begin; });
}

bool NeighbourList::find_pairs(const Cells &cells, std::int64_t width, const codec::PairKernels &kernels) {
  const auto n = static_cast<std::uint32_t>(order_.size());
  const std::uint64_t most_distances = (std::uint64_t{n} + 64) * max_distances_of_particle;
  const std::uint64_t most_pairs =
      std::min<std::uint64_t>(std::uint64_t{n} * max_pairs_of_particle, std::numeric_limits<std::uint32_t>::max());
  std::uint64_t distances = 0;
  std::int32_t period[core::max_components] = {};
  for (std::size_t d = 0; d < cells.axes.size(); ++d)
    if (cells.axes[d].is_small(d)) period[d] = static_cast<std::int32_t>(cells.axes[d].length);
  const std::int32_t *const at[core::max_components] = {at_[0].data(), at_[1].data(), at_[2].data()};
  first_.resize(n + std::size_t{1});
  std::uint64_t found = 0;
  std::uint32_t own = 0;
  std::array<std::int64_t, core::max_components> cell{};
  for (std::size_t c = 0; own < n;) {
    const std::int64_t cells_here = std::min(width, cells.axes[0].count - cell[0]);
    c += static_cast<std::size_t>(cells_here);
    const std::uint32_t end = cell_begin_[c];
    if (own < end) {
      find_runs(cells, cell, cells_here, end);
      std::uint64_t others = 0;
      for (const codec::CandidateRun &run : runs_) others += run.end - run.begin;
      const std::uint64_t members = end - own;
      distances += others * members;
      // The limit counts cells one by one.
      if (distances > most_distances) return width > 1 && find_pairs(cells, 1, kernels);
      const codec::PairCandidates candidates = room_for_candidates(others);
      kernels.take_candidates(at, runs_.data(), runs_.size(), candidates);
      // The own particles of the cells come last, and the candidates of a particle end just before it, so that each
      // pair occurs once.
      auto count = static_cast<std::uint32_t>(others - members);
      for (; own < end; ++own, ++count) {
        make_room(found + count);
        const std::int32_t position[core::max_components] = {at[0][own], at[1][own], at[2][own]};
        const codec::PairList list{&partner_[found], {&way_[0][found], &way_[1][found], &way_[2][found]}};
        found += kernels.find_near(position, candidates, count, period, reach_ * reach_, list);
        first_[own + std::size_t{1}] = static_cast<std::uint32_t>(found);
      }
      if (found > most_pairs) return false;
    }
    cell[0] += cells_here;
    if (cell[0] < cells.axes[0].count) continue;
    cell[0] = 0;
    if (++cell[1] < cells.axes[1].count) continue;
    cell[1] = 0;
    ++cell[2];
  }
  std::fill_n(partner_.begin() + static_cast<std::ptrdiff_t>(found), std::size_t{codec::PairKernels::padding}, 0u);
  return true;
}

bool NeighbourList::build(const codec::IndexColumns &q, std::size_t n, int components, const core::GridBox &box,
                          std::uint64_t cutoff, const codec::Kernels &kernels) {
  first_.assign(1, 0);
  order_.clear();
  if (n == 0) return true;
  Cells cells;
  place(q, n, components, box, cutoff, cells);
  if (reach_ == 0) return false;
  cells.choose(reach_, static_cast<std::int64_t>(n) + 64);
  sort(cells);
  return find_pairs(cells, cells.cells_at_once(n), kernels.pairs);
}

bool NeighbourList::build(const codec::DifferenceState &state, const core::GridBox &box, std::uint64_t cutoff) {
  codec::IndexColumns last{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(state.components); ++d) last[d] = state.axes[d].last.data();
  return build(last, state.particles, state.components, box, cutoff);
}

}  // namespace gpz::crystal
