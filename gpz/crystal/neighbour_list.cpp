// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/crystal/neighbour_list.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "gpz/codec/parallel_parts.hpp"
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
  const std::int64_t offset = difference_of(q, axis.lo);
  if (offset >= 0 && offset < axis.period) return offset;
  const std::int64_t rest = offset % axis.period;
  return rest < 0 ? rest + axis.period : rest;
}

struct Extremes {
  std::int64_t least;
  std::int64_t largest;
};

Extremes extremes_of(const std::int64_t *q, std::size_t n, int threads) {
  const auto parts = codec::parallel_parts<Extremes>(threads, n, [&](std::size_t first, std::size_t last) {
    const auto [least, largest] = std::minmax_element(q + first, q + last);
    return Extremes{*least, *largest};
  });
  Extremes all = parts[0];
  for (const Extremes &part : parts) all = {std::min(all.least, part.least), std::max(all.largest, part.largest)};
  return all;
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

  // Cells of a row whose particles share their candidates. With more cells, more candidates are too far away; with
  // fewer, finding the candidates takes longer than comparing them.
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

void NeighbourList::assign_cells(const codec::IndexColumns &q, std::size_t n, int components, const core::GridBox &box,
                                 std::uint64_t cutoff, int threads, Cells &cells) {
  std::array<GridAxis, core::max_components> axes{};
  std::array<std::uint64_t, core::max_components> length{};
  shift_ = shift_to(cutoff, max_reach);
  for (std::size_t d = 0; d < static_cast<std::size_t>(components); ++d) {
    axes[d] = core::checked_axis(box[d]);
    cells.axes[d].periodic = axes[d].period != 0;
    if (cells.axes[d].periodic) {
      length[d] = static_cast<std::uint64_t>(axes[d].period);
    } else {
      const Extremes extremes = extremes_of(q[d], n, threads);
      axes[d].lo = extremes.least;
      length[d] = static_cast<std::uint64_t>(difference_of(extremes.largest, extremes.least));
    }
    shift_ = std::max(shift_, shift_to(length[d], most_units - 1));
  }
  reach_ = static_cast<std::uint32_t>(cutoff >> shift_);
  for (std::size_t d = 0; d < at_slot_.size(); ++d) {
    at_slot_[d].resize(n);
    if (d >= static_cast<std::size_t>(components)) {
      std::fill(at_slot_[d].begin(), at_slot_[d].end(), 0);
      continue;
    }
    // An open axis includes its last unit; the last unit of a periodic axis may be incomplete.
    const std::uint64_t units = length[d] >> shift_;
    cells.axes[d].length = std::max<std::int64_t>(static_cast<std::int64_t>(units) + (axes[d].period == 0 ? 1 : 0), 1);
    codec::parallel_particles(threads, n, [&, d](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const std::int64_t offset =
            cells.axes[d].periodic ? from_edge(q[d][i], axes[d]) : difference_of(q[d][i], axes[d].lo);
        at_slot_[d][i] = static_cast<std::int32_t>(static_cast<std::uint64_t>(offset) >> shift_);
      }
    });
  }
}

void NeighbourList::sort(Cells &cells, int threads) {
  const std::size_t n = at_slot_[0].size();
  cell_of_slot_.resize(n);
  codec::parallel_particles(threads, n, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::int64_t row = cells.cell(2, at_slot_[2][i]) * cells.axes[1].count + cells.cell(1, at_slot_[1][i]);
      const std::int64_t cell = row * cells.axes[0].count + cells.cell(0, at_slot_[0][i]);
      cell_of_slot_[i] = static_cast<std::uint32_t>(cell);
    }
  });
  counting_sort(cell_of_slot_, static_cast<std::size_t>(cells.total()), cell_begin_, order_);
  for (auto &at : at_) at.resize(n + codec::PairKernels::padding);
  codec::parallel_particles(threads, n, [&](std::size_t first, std::size_t last) {
    for (std::size_t d = 0; d < at_.size(); ++d)
      for (std::size_t index = first; index < last; ++index) at_[d][index] = at_slot_[d][order_[index]];
  });
}

codec::PairCandidates NeighbourList::Search::room_for_candidates(std::uint64_t count) {
  const std::size_t size = count + codec::PairKernels::padding;
  if (index.size() < size) {
    for (auto &axis : near) axis.resize(size);
    index.resize(size);
    distance.resize(size);
  }
  return {{near[0].data(), near[1].data(), near[2].data()}, index.data(), distance.data()};
}

void NeighbourList::Pairs::make_room(std::uint64_t pairs) {
  pairs += codec::PairKernels::padding;
  if (pairs <= partner.size()) return;
  const std::uint64_t size = std::max<std::uint64_t>(pairs, partner.size() + partner.size() / 2);
  partner.resize(size);
  for (auto &axis : separation) axis.resize(size);
}

// Finds the sorted indices of the particles in and around `width` cells of a row, up to their last particle, in
// ascending order.
void NeighbourList::find_runs(const Cells &cells, const std::array<std::int64_t, core::max_components> &cell,
                              std::int64_t width, std::uint32_t cell_end,
                              std::vector<codec::CandidateRun> &runs) const {
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
  runs.clear();
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
          ascending = ascending && (runs.empty() || runs.back().begin < run.begin);
          runs.push_back(run);
        }
        x += length;
      }
    }
  }
  if (ascending) return;
  std::sort(runs.begin(), runs.end(),
            [](const codec::CandidateRun &a, const codec::CandidateRun &b) { return a.begin < b.begin; });
}

// The counts of all threads.
struct NeighbourList::Progress {
  std::uint64_t most_distances;
  std::uint64_t most_pairs;
  std::atomic<std::uint64_t> distances{0};
  std::atomic<std::uint64_t> pairs{0};

  bool has_too_many_distances() const { return distances.load(std::memory_order_relaxed) > most_distances; }
  bool has_too_many_pairs() const { return pairs.load(std::memory_order_relaxed) > most_pairs; }
};

// Adds the pairs of rows of cells to `found`. Ends early if all threads together have found too many.
void NeighbourList::find_pairs_of_rows(const Cells &cells, std::int64_t width, const codec::PairKernels &kernels,
                                       std::size_t first_row, std::size_t last_row, Progress &progress, Search &search,
                                       Pairs &found) {
  std::int32_t period[core::max_components] = {};
  for (std::size_t d = 0; d < cells.axes.size(); ++d)
    if (cells.axes[d].is_small(d)) period[d] = static_cast<std::int32_t>(cells.axes[d].length);
  const std::int32_t *const at[core::max_components] = {at_[0].data(), at_[1].data(), at_[2].data()};
  const auto rows_of_layer = static_cast<std::size_t>(cells.axes[1].count);
  const auto cells_of_row = static_cast<std::size_t>(cells.axes[0].count);
  std::uint32_t own = cell_begin_[first_row * cells_of_row];
  search.pairs = 0;
  for (std::size_t row = first_row; row < last_row; ++row) {
    std::array<std::int64_t, core::max_components> cell{0, static_cast<std::int64_t>(row % rows_of_layer),
                                                        static_cast<std::int64_t>(row / rows_of_layer)};
    while (cell[0] < cells.axes[0].count) {
      const std::int64_t cells_here = std::min(width, cells.axes[0].count - cell[0]);
      const std::uint32_t end = cell_begin_[row * cells_of_row + static_cast<std::size_t>(cell[0] + cells_here)];
      if (own < end) {
        find_runs(cells, cell, cells_here, end, search.runs);
        std::uint64_t others = 0;
        for (const codec::CandidateRun &run : search.runs) others += run.end - run.begin;
        const std::uint64_t members = end - own;
        progress.distances.fetch_add(others * members, std::memory_order_relaxed);
        if (progress.has_too_many_distances()) return;
        const codec::PairCandidates candidates = search.room_for_candidates(others);
        kernels.take_candidates(at, search.runs.data(), search.runs.size(), candidates);
        // The own particles of the cells come last, and the candidates of a particle end just before it, so that each
        // pair occurs once.
        auto count = static_cast<std::uint32_t>(others - members);
        const std::uint64_t before = search.pairs;
        for (; own < end; ++own, ++count) {
          found.make_room(search.pairs + count);
          const std::int32_t position[core::max_components] = {at[0][own], at[1][own], at[2][own]};
          const codec::PairList list{&found.partner[search.pairs],
                                     {&found.separation[0][search.pairs], &found.separation[1][search.pairs],
                                      &found.separation[2][search.pairs]}};
          search.pairs += kernels.find_near(position, candidates, count, period, reach_ * reach_, list);
          first_[own + std::size_t{1}] = static_cast<std::uint32_t>(search.pairs);
        }
        progress.pairs.fetch_add(search.pairs - before, std::memory_order_relaxed);
        if (progress.has_too_many_pairs()) return;
      }
      cell[0] += cells_here;
    }
  }
}

// Moves the pairs of all threads after those of the first one.
void NeighbourList::join(const std::vector<std::size_t> &rows, std::size_t cells_of_row, int threads) {
  std::vector<std::uint64_t> end;  // of the pairs of each thread, in the list
  std::uint64_t pairs = 0;
  for (std::size_t t = 0; t + 1 < rows.size(); ++t) end.push_back(pairs += searches_[t].pairs);
  found_.make_room(pairs);
  const std::uint64_t in_place = end[0];
  codec::parallel_ranges(threads, pairs - in_place, [&](int, std::uint64_t first, std::uint64_t last) {
    first += in_place;
    last += in_place;
    for (std::size_t t = 1; t < end.size() && first < last; ++t) {
      if (first >= end[t]) continue;
      const std::uint64_t stop = std::min(last, end[t]);
      const auto move = [&](const auto &from, auto &to) {
        std::copy_n(&from[first - end[t - 1]], stop - first, &to[first]);
      };
      move(searches_[t].found.partner, found_.partner);
      for (std::size_t d = 0; d < found_.separation.size(); ++d)
        move(searches_[t].found.separation[d], found_.separation[d]);
      first = stop;
    }
  });
  for (std::size_t t = 1; t < end.size(); ++t) {
    const auto base = static_cast<std::uint32_t>(end[t - 1]);
    const std::uint32_t last = cell_begin_[rows[t + 1] * cells_of_row];
    for (std::uint32_t own = cell_begin_[rows[t] * cells_of_row]; own < last; ++own)
      first_[own + std::size_t{1}] += base;
  }
}

bool NeighbourList::find_pairs(const Cells &cells, std::int64_t width, const codec::PairKernels &kernels, int threads) {
  const auto n = static_cast<std::uint32_t>(order_.size());
  const auto cells_of_row = static_cast<std::size_t>(cells.axes[0].count);
  const auto all_rows = static_cast<std::size_t>(cells.axes[1].count * cells.axes[2].count);
  const int used = codec::thread_count(codec::threads_for_particles(threads, n), all_rows);
  // Rows with about as many particles for each thread.
  std::vector<std::size_t> rows{0};
  for (int t = 1; t < used; ++t) {
    const std::uint64_t target = std::uint64_t{n} * static_cast<std::uint64_t>(t) / static_cast<std::uint64_t>(used);
    std::size_t row = rows.back();
    while (row < all_rows && cell_begin_[row * cells_of_row] < target) ++row;
    rows.push_back(row);
  }
  rows.push_back(all_rows);
  Progress progress{
      (std::uint64_t{n} + 64) * max_distances_of_particle,
      std::min<std::uint64_t>(std::uint64_t{n} * max_pairs_of_particle, std::numeric_limits<std::uint32_t>::max())};
  first_.resize(n + std::size_t{1});
  if (searches_.size() < rows.size() - 1) searches_.resize(rows.size() - 1);
  codec::parallel_ranges(used, static_cast<std::uint64_t>(used), [&](int, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t t = begin; t < end; ++t)
      find_pairs_of_rows(cells, width, kernels, rows[t], rows[t + 1], progress, searches_[t],
                         t == 0 ? found_ : searches_[t].found);
  });
  // The limits of pairs and distances do not depend on the number of threads. The limit of distances counts cells one
  // by one.
  if (progress.has_too_many_pairs()) return false;
  if (progress.has_too_many_distances()) return width > 1 && find_pairs(cells, 1, kernels, threads);
  join(rows, cells_of_row, used);
  std::fill_n(found_.partner.begin() + static_cast<std::ptrdiff_t>(first_[n]), std::size_t{codec::PairKernels::padding},
              0u);
  return true;
}

bool NeighbourList::build(const codec::IndexColumns &q, std::size_t n, int components, const core::GridBox &box,
                          std::uint64_t cutoff, int threads, const codec::Kernels &kernels) {
  first_.assign(1, 0);
  order_.clear();
  if (n == 0) return true;
  Cells cells;
  assign_cells(q, n, components, box, cutoff, threads, cells);
  if (reach_ == 0) return false;
  cells.choose(reach_, static_cast<std::int64_t>(n) + 64);
  sort(cells, threads);
  return find_pairs(cells, cells.cells_at_once(n), kernels.pairs, threads);
}

bool NeighbourList::build(const codec::DifferenceState &state, const core::GridBox &box, std::uint64_t cutoff,
                          int threads) {
  codec::IndexColumns last{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(state.components); ++d) last[d] = state.axes[d].last.data();
  return build(last, state.particles, state.components, box, cutoff, threads);
}

std::size_t NeighbourList::memory_usage() const {
  std::size_t bytes =
      codec::memory_of(at_, order_, first_, found_.partner, found_.separation, at_slot_, cell_of_slot_, cell_begin_);
  for (const Search &search : searches_)
    bytes += codec::memory_of(search.near, search.index, search.distance, search.runs, search.found.partner,
                              search.found.separation);
  return bytes;
}

}  // namespace gpz::crystal
