// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/crystal/site_search.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gpz/codec/functions.hpp"
#include "gpz/crystal/least_squares.hpp"
#include "gpz/crystal/vector3.hpp"

namespace gpz::crystal {
namespace {

constexpr std::size_t least_particles = 100;  // the description of a crystal does not pay for fewer
constexpr std::size_t patch_particles = 700;  // in the patch in the middle, where the search begins
constexpr std::size_t cores = 24;             // particles of the patch whose neighbours are used
constexpr double relative_reach = 1.8;        // largest distance of a neighbour, in units of the nearest one's
constexpr double blur = 0.3;                  // largest distance of a particle from its site, in the same units
constexpr std::size_t sampled = 4096;         // particles in the sample for the final fit of edges
constexpr double edge_share = 0.85;           // minimum fraction of particles with a neighbour at the end of an edge
constexpr double least_share = 0.05;          // minimum fraction of particles in a sublattice
constexpr double crystal_share = 0.8;         // minimum fraction of particles near sites

struct Search {
  int components;
  std::vector<Vector3> patch;
  double near = 0;  // distance to the nearest neighbour
  std::array<Vector3, 3> edges{};
  std::vector<Vector3> origins;

  bool find_edges();
  bool find_origins();
  // Replaces the edges by others of the same lattice: if possible, the first along the first axis, the second in the
  // plane of the first two axes. Rows of cells then end where a crystal with open axes ends.
  void align_edges();
  // Fits edges and origins by least squares. Returns false if few particles are near sites.
  bool fit(const std::vector<Vector3> &particles);
};

Vector3 at(const PositionColumns &position, std::size_t i, std::size_t components) {
  Vector3 x{};
  for (std::size_t d = 0; d < components; ++d) x[d] = position[d][i];
  return x;
}

// Finds particles in the middle of the system.
std::vector<Vector3> take_patch(const PositionColumns &position, std::size_t n, std::size_t components) {
  Vector3 low{};
  Vector3 high{};
  const double share =
      codec::root_of(std::fmin(1, double{patch_particles} / static_cast<double>(n)), static_cast<int>(components));
  for (std::size_t d = 0; d < components; ++d) {
    const auto [least, most] = std::minmax_element(position[d], position[d] + n);
    const double middle = 0.5 * *least + 0.5 * *most;
    const double half = 0.5 * share * (*most - *least) + 1;
    low[d] = std::trunc(middle - half);
    high[d] = std::trunc(middle + half);
  }
  std::vector<Vector3> patch;
  for (std::size_t i = 0; i < n; ++i) {
    bool inside = true;
    for (std::size_t d = 0; d < components; ++d)
      inside = inside && position[d][i] >= low[d] && position[d][i] <= high[d];
    if (!inside) continue;
    patch.push_back(at(position, i, components));
    if (patch.size() > 8 * patch_particles) break;  // too uneven for a crystal
  }
  return patch;
}

// Vectors from the particles in the middle of the patch to their neighbours. `of_first`: number of vectors from the
// first particle.
NeighbourVectors vectors_around(const std::vector<Vector3> &patch, double &near, std::size_t &of_first) {
  Vector3 middle{};
  for (const Vector3 &x : patch) middle = middle + 1.0 / static_cast<double>(patch.size()) * x;
  std::vector<std::size_t> by_distance(patch.size());
  for (std::size_t i = 0; i < patch.size(); ++i) by_distance[i] = i;
  std::stable_sort(by_distance.begin(), by_distance.end(), [&](std::size_t a, std::size_t b) {
    return squared(patch[a] - middle) < squared(patch[b] - middle);
  });
  by_distance.resize(std::min(by_distance.size(), cores));
  std::vector<double> nearest_ones;
  for (const std::size_t core : by_distance) {
    double least = HUGE_VAL;
    for (std::size_t i = 0; i < patch.size(); ++i) {
      if (i != core) least = std::fmin(least, squared(patch[i] - patch[core]));
    }
    nearest_ones.push_back(least);
  }
  // Thermal motion makes the smallest distance too small; the median over several particles is more reliable than one.
  near = std::sqrt(median(nearest_ones)) * 1.08;
  NeighbourVectors vectors;
  for (const std::size_t core : by_distance) {
    for (std::size_t i = 0; i < patch.size(); ++i) {
      const Vector3 vector = patch[i] - patch[core];
      if (i != core && squared(vector) <= relative_reach * relative_reach * near * near) vectors.all.push_back(vector);
    }
    if (vectors.particles++ == 0) of_first = vectors.all.size();
  }
  return vectors;
}

bool Search::find_edges() {
  std::size_t of_first = 0;
  const NeighbourVectors vectors = vectors_around(patch, near, of_first);
  if (!(near > 0)) return false;
  struct Found {
    Vector3 separation;
    double distance;
  };
  std::vector<Found> found;
  for (std::size_t seed = 0; seed < of_first; ++seed) {
    Vector3 mean = vectors.all[seed];
    std::size_t count = 0;
    for (int round = 0; round < 3; ++round) {
      const NeighbourVectors::Cluster cluster = vectors.around(mean, blur * blur * near * near);
      count = cluster.count;
      if (count == 0) break;
      mean = 1.0 / static_cast<double>(count) * cluster.sum;
    }
    if (static_cast<double>(count) >= edge_share * static_cast<double>(vectors.particles))
      found.push_back({mean, length(mean)});
  }
  std::stable_sort(found.begin(), found.end(), [](const Found &a, const Found &b) { return a.distance < b.distance; });
  std::size_t count = 0;
  for (const Found &candidate : found) {
    const Vector3 &separation = candidate.separation;
    if (count == 1 && length(cross(edges[0], separation)) < 0.3 * length(edges[0]) * candidate.distance) continue;
    if (count == 2 && std::fabs(dot(separation, cross(edges[0], edges[1]))) <
                          0.2 * length(edges[0]) * length(edges[1]) * candidate.distance)
      continue;
    edges[count++] = separation;
    if (count == static_cast<std::size_t>(components)) break;
  }
  if (components == 2) edges[2] = {0, 0, near};
  return count == static_cast<std::size_t>(components);
}

void Search::align_edges() {
  constexpr int most = 3;          // multiples of each edge
  const double flat = 0.1 * near;  // lengths below it count as zero
  const auto axes = static_cast<std::size_t>(components);
  struct Edge {
    std::array<int, 3> edges;
    Vector3 separation;
  };
  // Among vectors that ascend along their last axis: those with the least ascent, and of these the shortest.
  std::array<std::optional<Edge>, 3> best;
  const int third = components == 3 ? most : 0;
  for (int k = -third; k <= third; ++k)
    for (int j = -most; j <= most; ++j)
      for (int i = -most; i <= most; ++i) {
        const Edge candidate{
            {i, j, k},
            static_cast<double>(i) * edges[0] + static_cast<double>(j) * edges[1] + static_cast<double>(k) * edges[2]};
        std::size_t last = axes;
        while (last > 0 && std::fabs(candidate.separation[last - 1]) < flat) --last;
        if (last == 0 || candidate.separation[last - 1] < 0) continue;
        std::optional<Edge> &known = best[last - 1];
        const double up = known ? candidate.separation[last - 1] - known->separation[last - 1] : -HUGE_VAL;
        // Half edges have equal lengths in several directions, up to thermal motion; keep the first one.
        if (up < -flat || (up < flat && length(candidate.separation) < length(known->separation) - flat))
          known = candidate;
      }
  if (components == 2) best[2] = Edge{{0, 0, 1}, edges[2]};
  if (!best[0] || !best[1] || !best[2]) return;
  const std::array<int, 3> &a = best[0]->edges;
  const std::array<int, 3> &b = best[1]->edges;
  const std::array<int, 3> &c = best[2]->edges;
  const int cells =
      a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  if (cells != 1 && cells != -1) return;
  for (std::size_t d = 0; d < 3; ++d) edges[d] = best[d]->separation;
}

bool Search::find_origins() {
  const CellCoordinates coordinates(edges);
  struct Cluster {
    Vector3 first;
    Vector3 sum;  // of vectors from the first one
    std::size_t count;
  };
  std::vector<Cluster> clusters;
  for (const Vector3 &x : patch) {
    bool known = false;
    for (Cluster &cluster : clusters) {
      const Vector3 mean = cluster.first + 1.0 / static_cast<double>(cluster.count) * cluster.sum;
      const Vector3 off = coordinates.nearest_corner(x - mean).off;
      if (squared(off) > 4 * blur * blur * near * near / 2.25) continue;
      cluster.sum = cluster.sum + (mean - cluster.first) + off;
      ++cluster.count;
      known = true;
      break;
    }
    if (known) continue;
    if (clusters.size() == 2 * static_cast<std::size_t>(core::max_sublattices)) return false;
    clusters.push_back({x, {}, 1});
  }
  for (const Cluster &cluster : clusters)
    if (static_cast<double>(cluster.count) >= least_share * static_cast<double>(patch.size()))
      origins.push_back(cluster.first + 1.0 / static_cast<double>(cluster.count) * cluster.sum);
  return !origins.empty() && origins.size() <= static_cast<std::size_t>(core::max_sublattices);
}

bool Search::fit(const std::vector<Vector3> &particles) {
  const CellCoordinates coordinates(edges);
  const auto axes = static_cast<std::size_t>(components);
  LeastSquares squares(axes + origins.size(), axes);
  std::vector<double> features(axes + origins.size());
  std::size_t fitting = 0;
  const Vector3 middle = origins[0];  // differences from it keep more digits
  for (const Vector3 &x : particles) {
    const CellCoordinates::Site site = coordinates.nearest_site(origins, x);
    if (!(site.squared_distance <= 0.16 * near * near)) continue;
    ++fitting;
    std::fill(features.begin(), features.end(), 0);
    for (std::size_t e = 0; e < axes; ++e) features[e] = site.cell[e];
    features[axes + site.sublattice] = 1;
    const Vector3 value = x - middle;
    squares.add(features.data(), value.data());
  }
  if (static_cast<double>(fitting) < crystal_share * static_cast<double>(particles.size())) return false;
  const std::vector<double> solution = squares.solve(1e-9);
  for (std::size_t d = 0; d < axes; ++d) {
    for (std::size_t e = 0; e < axes; ++e) edges[e][d] = solution[e * axes + d];
    for (std::size_t s = 0; s < origins.size(); ++s) origins[s][d] = middle[d] + solution[(axes + s) * axes + d];
  }
  return true;
}

// Gaps between the sites along a periodic axis.
class Gaps {
 public:
  Gaps(double low, double period, std::size_t n) : low_(low), period_(period), parts_(std::min(4 * n, most_parts)) {}

  void add(double site) {
    double x = site - low_;
    x -= std::floor(x / period_) * period_;
    const auto part = static_cast<std::size_t>(x / period_ * static_cast<double>(parts_.size()));
    Part &own = parts_[std::min(part, parts_.size() - 1)];
    own.first = std::fmin(own.first, x);
    own.last = std::fmax(own.last, x);
  }

  // Middle of the widest gap, at most half a period from `low`. With `near_low`: the wide gap nearest to `low`.
  double middle(bool near_low) const {
    std::vector<Part> used;
    for (const Part &part : parts_)
      if (part.first <= part.last) used.push_back(part);
    double begin = 0;
    double widest = 0;
    const auto each = [&](const auto &take) {
      take(used.back().last, used.front().first + period_ - used.back().last);
      for (std::size_t i = 1; i < used.size(); ++i) take(used[i - 1].last, used[i].first - used[i - 1].last);
    };
    const auto centre = [&](double at, double gap) {
      const double x = at + gap / 2;
      return x > period_ / 2 ? x - period_ : x;
    };
    each([&](double at, double gap) {
      if (!(gap > widest)) return;
      widest = gap;
      begin = centre(at, gap);
    });
    if (near_low)
      each([&](double at, double gap) {
        if (gap > wide * widest && std::fabs(centre(at, gap)) < std::fabs(begin)) begin = centre(at, gap);
      });
    return low_ + begin;
  }

 private:
  static constexpr std::size_t most_parts = 1 << 16;
  static constexpr double wide = 0.7;  // relative to the widest gap
  struct Part {
    double first = HUGE_VAL;
    double last = -HUGE_VAL;
  };
  double low_;
  double period_;
  std::vector<Part> parts_;
};

// Period of the lattice nearest to the period of the grid, which was rounded. Without a lattice period, the grid's.
double period_along(std::size_t d, double period, const CellCoordinates &coordinates) {
  Vector3 edge{};
  edge[d] = period;
  const Vector3 exact = coordinates.position(nearest(coordinates.fractional(edge)));
  return squared(exact - edge) <= 1 && exact[d] > period / 2 ? exact[d] : period;
}

bool is_within(const Vector3 &x, std::int64_t most) {
  return std::fabs(x[0]) < static_cast<double>(most) && std::fabs(x[1]) < static_cast<double>(most) &&
         std::fabs(x[2]) < static_cast<double>(most);
}

// Finds period and window of a lattice on periodic axes. Returns false if they differ too much from the grid's.
bool find_window(const Search &search, const PositionColumns &position, Precision precision, std::size_t n,
                 const core::GridBox &box, FoundSites &found) {
  const CellCoordinates coordinates(search.edges);
  const auto axes = static_cast<std::size_t>(search.components);
  std::vector<std::size_t> periodic;
  std::vector<Gaps> gaps;
  for (std::size_t d = 0; d < axes; ++d) {
    if (box[d].period == 0) continue;
    const auto period = static_cast<double>(box[d].period);
    found.period[d] = precision == Precision::indices ? period : period_along(d, period, coordinates);
    periodic.push_back(d);
    gaps.emplace_back(static_cast<double>(box[d].lo), found.period[d], n);
  }
  if (periodic.empty()) return true;
  // Uses all particles: a sample would miss planes of a crystal that is stored row by row.
  for (std::size_t i = 0; i < n; ++i) {
    const CellCoordinates::Site nearest = coordinates.nearest_site(search.origins, at(position, i, axes));
    const Vector3 site = search.origins[nearest.sublattice] + coordinates.position(nearest.cell);
    for (std::size_t k = 0; k < periodic.size(); ++k) gaps[k].add(site[periodic[k]]);
  }
  for (std::size_t k = 0; k < periodic.size(); ++k) {
    const std::size_t d = periodic[k];
    // The window begins near the edge of the box: particles beyond it return after the period of the grid, which
    // differs from that of the lattice.
    const double low = std::floor(gaps[k].middle(precision == Precision::values));
    const double high = std::ceil(low + found.period[d]);
    const auto most = static_cast<double>(core::max_site_reach);
    if (low < -most || high > most) return false;
    found.lattice.window.low[d] = static_cast<std::int64_t>(low) * (std::int64_t{1} << core::site_fraction);
    found.lattice.window.high[d] = static_cast<std::int64_t>(high) * (std::int64_t{1} << core::site_fraction);
  }
  return true;
}

}  // namespace

bool find_sites(const PositionColumns &position, Precision precision, std::size_t n, int components,
                const core::GridBox &box, FoundSites &found) {
  if (n < least_particles) return false;
  const auto axes = static_cast<std::size_t>(components);
  Search search{components, take_patch(position, n, axes), 0, {}, {}};
  if (search.patch.size() < least_particles || search.patch.size() > 8 * patch_particles) return false;
  if (!search.find_edges() || !search.find_origins() || !search.fit(search.patch)) return false;
  if (std::any_of(box.begin(), box.begin() + components, [](const core::GridAxis &axis) { return axis.period == 0; }))
    search.align_edges();
  std::vector<Vector3> sample;
  const std::size_t stride = n / sampled + 1;
  for (std::size_t i = 0; i < n; i += stride) sample.push_back(at(position, i, axes));
  for (int round = 0; round < 2; ++round)
    if (!search.fit(sample)) return false;
  if (!find_window(search, position, precision, n, box, found)) return false;

  SiteLattice &lattice = found.lattice;
  lattice.components = components;
  for (std::size_t e = 0; e < axes; ++e) {
    if (!is_within(search.edges[e], core::max_cell_edge)) return false;
    lattice.edge[e] = site_position(search.edges[e]);
    if (components == 2) lattice.edge[e][2] = 0;
  }
  for (Vector3 origin : search.origins) {
    if (components == 2) origin[2] = 0;
    if (!is_within(origin, core::max_site_reach)) return false;
    lattice.sublattices.push_back({site_position(origin), {}, {}});
  }
  return true;
}

}  // namespace gpz::crystal
