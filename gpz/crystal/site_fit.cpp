// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/crystal/site_fit.hpp"

#include <algorithm>
#include <cmath>

#include "gpz/crystal/counting_sort.hpp"
#include "gpz/crystal/least_squares.hpp"
#include "gpz/crystal/site_walk.hpp"

namespace gpz::crystal {
namespace {

// Sites in the sample of a fit of weights.
constexpr std::uint64_t sampled_sites = 2048;
// Largest distance of a neighbour, in units of the distance of the nearest one.
constexpr double far_neighbour = 1.3;

constexpr double deviation_unit = 1 << core::deviation_fraction;
// Edges in grid steps. In two dimensions the third edge is 1 along the missing axis.
std::array<Vector3, 3> edges_of(const SiteLattice &lattice) {
  std::array<Vector3, 3> edges{in_steps(lattice.edge[0]), in_steps(lattice.edge[1]), in_steps(lattice.edge[2])};
  if (lattice.components == 2) edges[2] = {0, 0, 1};
  return edges;
}

struct Site {
  std::uint8_t sublattice = 0;
  std::array<std::int32_t, 3> cells{};
};

// Finds the site of each position.
class SiteFinder {
 public:
  SiteFinder(const SiteSection &section, const Vector3 &period)
      : section_(section), period_(period), coordinates_(edges_of(section.lattice)) {
    for (const SiteLattice::Sublattice &sublattice : section.lattice.sublattices)
      origins_.push_back(in_steps(sublattice.origin));
  }

  Site find(const PositionColumns &position, std::size_t i) const {
    const SiteLattice &lattice = section_.lattice;
    const auto components = static_cast<std::size_t>(lattice.components);
    Vector3 x{};
    for (std::size_t d = 0; d < components; ++d) x[d] = image_in_window(position[d][i], d);
    Site site = nearest_site(x);
    // A particle at one edge of the window may belong, by its image, to a site at the other edge.
    bool moved = false;
    const core::SitePosition at = position_of(lattice, site);
    for (std::size_t d = 0; d < components; ++d) {
      if (period_[d] == 0 || (at[d] >= lattice.window.low[d] && at[d] < lattice.window.high[d])) continue;
      x[d] += at[d] < lattice.window.low[d] ? period_[d] : -period_[d];
      moved = true;
    }
    return moved ? nearest_site(x) : site;
  }

  static core::SitePosition position_of(const SiteLattice &lattice, const Site &site) {
    core::SitePosition position = lattice.sublattices[site.sublattice].origin;
    for (std::size_t d = 0; d < static_cast<std::size_t>(lattice.components); ++d)
      for (std::size_t e = 0; e < static_cast<std::size_t>(lattice.components); ++e)
        position[d] += site.cells[e] * lattice.edge[e][d];
    return position;
  }

 private:
  double image_in_window(double x, std::size_t d) const {
    const double period = period_[d];
    const auto low = static_cast<double>(section_.lattice.window.low[d] >> core::site_fraction);
    if (period == 0) return x;
    return x < low ? x + period : x >= low + period ? x - period : x;
  }
  Site nearest_site(const Vector3 &x) const {
    const CellCoordinates::Site nearest = coordinates_.nearest_site(origins_, x);
    Site site;
    site.sublattice = static_cast<std::uint8_t>(nearest.sublattice);
    const auto most = static_cast<double>(core::max_cell_number);
    for (std::size_t e = 0; e < 3; ++e)
      site.cells[e] = static_cast<std::int32_t>(std::fmax(-most, std::fmin(nearest.cell[e], most)));
    return site;
  }

  const SiteSection &section_;
  Vector3 period_;
  CellCoordinates coordinates_;
  std::vector<Vector3> origins_;
};

// Sites slightly below a grid point are moved onto it. The window begins at a grid point: otherwise it would be one
// step longer, and contain more sites on a coarse grid. Crystals often begin at 0.
constexpr std::int64_t least_part = std::int64_t{1} << (core::site_fraction - core::deviation_fraction);

// Cells and window that contain these sites. On periodic axes the window is at most one period long.
bool surround(const std::vector<Site> &sites, SiteSection &section) {
  SiteLattice &lattice = section.lattice;
  core::SitePosition low;
  core::SitePosition high;
  low.fill(INT64_MAX);
  high.fill(INT64_MIN);
  std::array<std::int32_t, 3> first;
  std::array<std::int32_t, 3> last;
  first.fill(INT32_MAX);
  last.fill(INT32_MIN);
  for (const Site &site : sites) {
    const core::SitePosition position = SiteFinder::position_of(lattice, site);
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], position[d]);
      high[d] = std::max(high[d], position[d]);
      first[d] = std::min(first[d], site.cells[d]);
      last[d] = std::max(last[d], site.cells[d]);
    }
  }
  for (std::size_t d = 0; d < static_cast<std::size_t>(lattice.components); ++d) {
    const bool open = section.box[d].period == 0;
    const std::int64_t below = -low[d] & ((std::int64_t{1} << core::site_fraction) - 1);
    if (open && below <= least_part) {
      for (SiteLattice::Sublattice &sublattice : lattice.sublattices) sublattice.origin[d] += below;
      low[d] += below;
      high[d] += below;
    }
    const std::int64_t begin = low[d] >> core::site_fraction;
    const std::int64_t end = (high[d] >> core::site_fraction) + 1;
    if (begin < -core::max_site_reach || end > core::max_site_reach) return false;
    std::int64_t &window_low = lattice.window.low[d];
    std::int64_t &window_high = lattice.window.high[d];
    const std::int64_t steps = std::int64_t{1} << core::site_fraction;
    window_low = open ? begin * steps : std::max(window_low, begin * steps);
    window_high = open ? end * steps : std::min(window_high, end * steps);
    if (d == 0) continue;
    lattice.cells[d] = {first[d], static_cast<std::uint32_t>(last[d] - first[d]) + 1};
    if (lattice.cells[d].count > core::max_cell_number || first[d] < -core::max_cell_number ||
        first[d] > core::max_cell_number)
      return false;
  }
  return true;
}

}  // namespace

bool SiteFit::assign(const PositionColumns &position, std::size_t n, const Vector3 &period, SiteSection &section) {
  const SiteFinder finder(section, period);
  std::vector<Site> sites(n);
  for (std::size_t i = 0; i < n; ++i) sites[i] = finder.find(position, i);
  if (!surround(sites, section) || !rows_.build(section.lattice, n)) return false;
  std::vector<std::uint32_t> number(n);
  for (std::size_t i = 0; i < n; ++i) {
    const SiteRows::Row *const row = rows_.find(sites[i].sublattice, sites[i].cells[1], sites[i].cells[2]);
    if (row == nullptr || row->cells.first == row->cells.end) return false;
    const std::int64_t cell =
        std::clamp<std::int64_t>(sites[i].cells[0], row->cells.first, row->cells.end - 1) - row->cells.first;
    number[i] = static_cast<std::uint32_t>(row->first_number + static_cast<std::uint64_t>(cell));
  }
  counting_sort(number, static_cast<std::size_t>(rows_.sites()), first_, order_);
  return true;
}

namespace {

// Finds the nearest of the sites that are coded before a site of a sublattice.
std::vector<core::SiteNeighbour> nearest_sites(const SiteLattice &lattice, int sublattice) {
  const std::array<Vector3, 3> edges = edges_of(lattice);
  struct Candidate {
    double distance;
    core::SiteNeighbour neighbour;
  };
  std::vector<Candidate> candidates;
  const int reach = 2;
  const int third = lattice.components == 3 ? reach : 0;
  for (int s = 0; s <= sublattice; ++s)
    for (int k = -third; k <= third; ++k)
      for (int j = -reach; j <= reach; ++j)
        for (int i = -reach; i <= reach; ++i) {
          const core::SiteNeighbour neighbour{s, {i, j, k}};
          if (!core::is_earlier(neighbour, sublattice)) continue;
          const Vector3 separation = in_steps(lattice.sublattices[static_cast<std::size_t>(s)].origin) -
                                     in_steps(lattice.sublattices[static_cast<std::size_t>(sublattice)].origin) +
                                     static_cast<double>(i) * edges[0] + static_cast<double>(j) * edges[1] +
                                     static_cast<double>(k) * edges[2];
          candidates.push_back({length(separation), neighbour});
        }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate &a, const Candidate &b) { return a.distance < b.distance; });
  std::vector<core::SiteNeighbour> out;
  for (const Candidate &candidate : candidates)
    if (out.size() < core::max_site_neighbours && candidate.distance <= far_neighbour * candidates[0].distance)
      out.push_back(candidate.neighbour);
  return out;
}

// Calls take(row, i, number) for a sample of the occupied sites of a sublattice.
template <class Take>
void for_sampled(const SiteRows &rows, const std::vector<std::uint32_t> &first, std::size_t begin_row,
                 std::size_t row_count, const Take &take) {
  const std::uint64_t stride = rows.sites() / sampled_sites + 1;
  for (std::size_t r = begin_row; r < begin_row + row_count; ++r) {
    const SiteRows::Row &row = rows.all()[r];
    const std::uint64_t end = row.first_number + static_cast<std::uint64_t>(row.cells.end - row.cells.first);
    for (std::uint64_t number = (row.first_number + stride - 1) / stride * stride; number < end; number += stride)
      if (first[number] != first[number + 1])
        take(r, row.cells.first + static_cast<std::int64_t>(number - row.first_number), number);
  }
}

}  // namespace

template <std::size_t D>
void SiteFit::weigh(std::size_t s, const codec::IndexColumns &index, const PositionColumns &position,
                    SiteSection &section) {
  SiteLattice &lattice = section.lattice;
  SiteLattice::Sublattice &sublattice = lattice.sublattices[s];
  sublattice.neighbours = nearest_sites(lattice, static_cast<int>(s));
  const std::size_t count = sublattice.neighbours.size();
  sublattice.weights.assign(count * D * D, 0);
  const std::size_t rows = std::size_t{lattice.cells[1].count} * lattice.cells[2].count;

  LeastSquares fit(count * D, D);
  std::vector<double> features(count * D);
  std::array<double, D> values{};
  for_sampled(rows_, first_, s * rows, rows, [&](std::size_t r, std::int64_t i, std::uint64_t number) {
    const RowNeighbours<D> neighbours(lattice, rows_, r);
    for (std::size_t k = 0; k < count; ++k) {
      const std::int32_t *const far = neighbours.deviation(k, i, deviations_.data());
      for (std::size_t e = 0; e < D; ++e) features[k * D + e] = far == nullptr ? 0 : far[e];
    }
    const std::uint32_t particle = order_[first_[number]];
    for (std::size_t d = 0; d < D; ++d)
      values[d] = deviations_[number * D + d] +
                  deviation_unit * (position[d][particle] - static_cast<double>(index[d][particle]));
    fit.add(features.data(), values.data());
  });
  const std::vector<double> solution = fit.solve(1e-9);
  constexpr double unit = 1 << core::weight_fraction;
  for (std::size_t d = 0; d < D; ++d)
    for (std::size_t f = 0; f < features.size(); ++f)
      sublattice.weights[d * features.size() + f] =
          static_cast<std::int16_t>(nearest(std::fmax(-32767, std::fmin(solution[f * D + d] * unit, 32767))));
}

template <std::size_t D>
void SiteFit::choose_shifts(SiteSection &section) const {
  const SiteLattice &lattice = section.lattice;
  std::array<std::int64_t, D> sum{};
  std::int64_t count = 0;
  for_sampled(rows_, first_, 0, rows_.all().size(), [&](std::size_t r, std::int64_t i, std::uint64_t number) {
    const std::array<std::int64_t, D> sums = RowNeighbours<D>(lattice, rows_, r).sum(i, deviations_.data());
    for (std::size_t d = 0; d < D; ++d) {
      const std::int64_t rest = deviations_[number * D + d] - sums[d];
      sum[d] +=
          (rest < 0 ? -rest : rest) >> (core::deviation_fraction - 1);  // residual numbers are twice the residuals
    }
    ++count;
  });
  // The shift gives mean quotients of one to two. With four, copper takes 0.03 bits an atom less and 20 % more time.
  for (std::size_t d = 0; d < D && count > 0; ++d)
    section.shift[d] = static_cast<std::uint8_t>(
        std::clamp(core::bit_length(static_cast<std::uint64_t>(sum[d] / count)) - 1, 0, SiteSection::max_shift));
}

void SiteFit::find_weights(const codec::IndexColumns &index, const PositionColumns &position, SiteSection &section) {
  const auto components = static_cast<std::size_t>(section.lattice.components);
  deviations_.assign(static_cast<std::size_t>(rows_.sites()) * components, 0);
  for (const SiteRows::Row &row : rows_.all())
    for (std::int64_t i = row.cells.first; i < row.cells.end; ++i) {
      const std::size_t number = row.first_number + static_cast<std::uint64_t>(i - row.cells.first);
      if (first_[number] == first_[number + 1]) continue;
      for (std::size_t d = 0; d < components; ++d) {
        const std::int64_t site = core::rounded_site(row.begin[d] + i * section.lattice.edge[0][d]);
        const std::int64_t from = (site + 32) >> core::deviation_fraction;
        const std::int64_t q = from + core::displacement(index[d][order_[first_[number]]], from, section.box[d]);
        deviations_[number * components + d] = static_cast<std::int32_t>(core::site_deviation(q, site));
      }
    }
  const bool flat = components == 2;
  for (std::size_t s = 0; s < section.lattice.sublattices.size(); ++s)
    flat ? weigh<2>(s, index, position, section) : weigh<3>(s, index, position, section);
  flat ? choose_shifts<2>(section) : choose_shifts<3>(section);
}

}  // namespace gpz::crystal
