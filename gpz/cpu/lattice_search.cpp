// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cpu/lattice_search.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gpz/cpu/linear.hpp"

namespace gpz::cpu {
namespace {

constexpr std::size_t least_particles = 100;  // of a crystal; fewer do not pay for its description
constexpr std::size_t patch_particles = 700;  // in the middle, which the search looks at
constexpr std::size_t cores = 24;             // particles of the patch whose neighbours are looked at
constexpr double reach = 1.8;                 // of a neighbour, in units of the distance of the nearest one
constexpr double blur = 0.3;                  // of a site: how far particles may be from it, in these units
constexpr std::size_t sampled = 4096;         // particles that edges are fitted to in the end
constexpr double edge_share = 0.85;           // of particles that have a neighbour where an edge ends
constexpr double least_share = 0.05;          // of particles that a sublattice has
constexpr double crystal_share = 0.8;         // of particles that are near sites

struct Search {
  int components;
  std::vector<Vector3> patch;
  double near = 0;  // distance of the nearest neighbour
  std::array<Vector3, 3> edges{};
  std::vector<Vector3> origins;

  bool find_edges();
  bool find_origins();
  // Least squares for edges and origins. False if few of the particles are near sites.
  bool fit(const std::vector<Vector3> &particles);
  std::size_t nearest_origin(const Coordinates &coordinates, const Vector3 &x, Vector3 &cell, double &distance) const;
};

// Of 0 < x <= 1. Library functions for it differ from machine to machine.
double root(double x, std::size_t degree) {
  if (degree == 2) return std::sqrt(x);
  double y = 1;
  for (int round = 0; round < 60; ++round) y = (2 * y + x / (y * y)) / 3;
  return y;
}

// Particles in the middle.
std::vector<Vector3> take_patch(const IndexColumns &place, std::size_t n, std::size_t components) {
  std::array<std::int64_t, 3> low{};
  std::array<std::int64_t, 3> high{};
  const double share = root(std::fmin(1, double{patch_particles} / static_cast<double>(n)), components);
  for (std::size_t d = 0; d < components; ++d) {
    const auto [least, most] = std::minmax_element(place[d], place[d] + n);
    const double middle = 0.5 * static_cast<double>(*least) + 0.5 * static_cast<double>(*most);
    const double half = 0.5 * share * (static_cast<double>(*most) - static_cast<double>(*least)) + 1;
    low[d] = static_cast<std::int64_t>(middle - half);
    high[d] = static_cast<std::int64_t>(middle + half);
  }
  std::vector<Vector3> patch;
  for (std::size_t i = 0; i < n; ++i) {
    bool inside = true;
    for (std::size_t d = 0; d < components; ++d) inside = inside && place[d][i] >= low[d] && place[d][i] <= high[d];
    if (!inside) continue;
    Vector3 x{};
    for (std::size_t d = 0; d < components; ++d) x[d] = static_cast<double>(place[d][i]);
    patch.push_back(x);
    if (patch.size() > 8 * patch_particles) break;  // so uneven that it is no crystal
  }
  return patch;
}

// Ways from the particles in the middle of the patch to those around them.
std::vector<std::vector<Vector3>> ways_around(const std::vector<Vector3> &patch, double &near) {
  Vector3 middle{};
  for (const Vector3 &x : patch) middle = middle + 1.0 / static_cast<double>(patch.size()) * x;
  std::vector<std::size_t> by_distance(patch.size());
  for (std::size_t i = 0; i < patch.size(); ++i) by_distance[i] = i;
  std::stable_sort(by_distance.begin(), by_distance.end(), [&](std::size_t a, std::size_t b) {
    const Vector3 u = patch[a] - middle;
    const Vector3 v = patch[b] - middle;
    return dot(u, u) < dot(v, v);
  });
  by_distance.resize(std::min(by_distance.size(), cores));
  std::vector<double> nearest_ones;
  for (const std::size_t core : by_distance) {
    double least = HUGE_VAL;
    for (std::size_t i = 0; i < patch.size(); ++i) {
      const Vector3 way = patch[i] - patch[core];
      if (i != core) least = std::fmin(least, dot(way, way));
    }
    nearest_ones.push_back(least);
  }
  std::sort(nearest_ones.begin(), nearest_ones.end());
  // Thermal motion makes the nearest of all too near; a few more of them tell more than one.
  near = std::sqrt(nearest_ones[nearest_ones.size() / 2]) * 1.08;
  std::vector<std::vector<Vector3>> ways;
  for (const std::size_t core : by_distance) {
    ways.emplace_back();
    for (std::size_t i = 0; i < patch.size(); ++i) {
      const Vector3 way = patch[i] - patch[core];
      if (i != core && dot(way, way) <= reach * reach * near * near) ways.back().push_back(way);
    }
  }
  return ways;
}

bool Search::find_edges() {
  const std::vector<std::vector<Vector3>> ways = ways_around(patch, near);
  if (!(near > 0)) return false;
  struct Found {
    Vector3 way;
    double distance;
  };
  std::vector<Found> found;
  for (const Vector3 &seed : ways[0]) {
    Vector3 mean = seed;
    std::size_t count = 0;
    for (int round = 0; round < 3; ++round) {
      Vector3 sum{};
      count = 0;
      for (const auto &around : ways)
        for (const Vector3 &way : around) {
          const Vector3 off = way - mean;
          if (dot(off, off) > blur * blur * near * near) continue;
          sum = sum + way;
          ++count;
        }
      if (count == 0) break;
      mean = 1.0 / static_cast<double>(count) * sum;
    }
    if (static_cast<double>(count) >= edge_share * static_cast<double>(ways.size()))
      found.push_back({mean, length(mean)});
  }
  std::stable_sort(found.begin(), found.end(), [](const Found &a, const Found &b) { return a.distance < b.distance; });
  std::size_t count = 0;
  for (const Found &candidate : found) {
    const Vector3 &way = candidate.way;
    if (count == 1 && length(cross(edges[0], way)) < 0.3 * length(edges[0]) * candidate.distance) continue;
    if (count == 2 &&
        std::fabs(dot(way, cross(edges[0], edges[1]))) < 0.2 * length(edges[0]) * length(edges[1]) * candidate.distance)
      continue;
    edges[count++] = way;
    if (count == static_cast<std::size_t>(components)) break;
  }
  if (components == 2) edges[2] = {0, 0, near};
  return count == static_cast<std::size_t>(components);
}

bool Search::find_origins() {
  const Coordinates coordinates(edges);
  struct Cluster {
    Vector3 first;
    Vector3 sum;  // of ways from the first one
    std::size_t count;
  };
  std::vector<Cluster> clusters;
  for (const Vector3 &x : patch) {
    bool known = false;
    for (Cluster &cluster : clusters) {
      const Vector3 mean = cluster.first + 1.0 / static_cast<double>(cluster.count) * cluster.sum;
      const Vector3 u = coordinates.of(x - mean);
      const Vector3 off = coordinates.place(u - nearest(u));
      if (dot(off, off) > 4 * blur * blur * near * near / 2.25) continue;
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

std::size_t Search::nearest_origin(const Coordinates &coordinates, const Vector3 &x, Vector3 &cell,
                                   double &distance) const {
  std::size_t best = 0;
  distance = HUGE_VAL;
  for (std::size_t s = 0; s < origins.size(); ++s) {
    const Vector3 u = coordinates.of(x - origins[s]);
    const Vector3 at = nearest(u);
    const Vector3 off = coordinates.place(u - at);
    if (!(dot(off, off) < distance)) continue;
    distance = dot(off, off);
    best = s;
    cell = at;
  }
  return best;
}

bool Search::fit(const std::vector<Vector3> &particles) {
  const Coordinates coordinates(edges);
  const auto axes = static_cast<std::size_t>(components);
  LeastSquares squares(axes + origins.size(), axes);
  std::vector<double> features(axes + origins.size());
  std::size_t fitting = 0;
  const Vector3 middle = origins[0];  // small numbers keep their digits
  for (const Vector3 &x : particles) {
    Vector3 cell{};
    double distance = 0;
    const std::size_t s = nearest_origin(coordinates, x, cell, distance);
    if (!(distance <= 0.16 * near * near)) continue;
    ++fitting;
    std::fill(features.begin(), features.end(), 0);
    for (std::size_t e = 0; e < axes; ++e) features[e] = cell[e];
    features[axes + s] = 1;
    const Vector3 value = x - middle;
    squares.add(features.data(), value.data());
  }
  if (static_cast<double>(fitting) < crystal_share * static_cast<double>(particles.size())) return false;
  squares.solve();
  for (std::size_t d = 0; d < axes; ++d) {
    for (std::size_t e = 0; e < axes; ++e) edges[e][d] = squares.solution(e, d);
    for (std::size_t s = 0; s < origins.size(); ++s) origins[s][d] = middle[d] + squares.solution(axes + s, d);
  }
  return true;
}

// On a periodic axis, the window begins where sites are far away.
std::int64_t window_begin(std::vector<double> &sites, const core::GridAxis &axis) {
  const auto period = static_cast<double>(axis.period);
  for (double &x : sites) {
    x -= static_cast<double>(axis.lo);
    x -= std::floor(x / period) * period;
  }
  std::sort(sites.begin(), sites.end());
  double begin = sites.back();
  double gap = sites.front() + period - sites.back();
  for (std::size_t i = 1; i < sites.size(); ++i)
    if (sites[i] - sites[i - 1] > gap) {
      gap = sites[i] - sites[i - 1];
      begin = sites[i - 1];
    }
  begin += gap / 2;
  if (begin > period / 2) begin -= period;
  return axis.lo + static_cast<std::int64_t>(std::floor(begin));
}

core::SitePlace fixed(const Vector3 &x) {
  core::SitePlace out{};
  for (std::size_t d = 0; d < 3; ++d)
    out[d] =
        static_cast<std::int64_t>(std::floor(x[d] * static_cast<double>(std::int64_t{1} << core::site_fraction) + 0.5));
  return out;
}

bool is_within(const Vector3 &x, std::int64_t most) {
  return std::fabs(x[0]) < static_cast<double>(most) && std::fabs(x[1]) < static_cast<double>(most) &&
         std::fabs(x[2]) < static_cast<double>(most);
}

}  // namespace

bool find_lattice(const IndexColumns &place, std::size_t n, int components, const GridBox &box, Lattice &lattice) {
  if (n < least_particles) return false;
  const auto axes = static_cast<std::size_t>(components);
  Search search{components, take_patch(place, n, axes), 0, {}, {}};
  if (search.patch.size() < least_particles || search.patch.size() > 8 * patch_particles) return false;
  if (!search.find_edges() || !search.find_origins() || !search.fit(search.patch)) return false;
  std::vector<Vector3> sample;
  const std::size_t stride = n / sampled + 1;
  for (std::size_t i = 0; i < n; i += stride) {
    Vector3 x{};
    for (std::size_t d = 0; d < axes; ++d) x[d] = static_cast<double>(place[d][i]);
    sample.push_back(x);
  }
  for (int round = 0; round < 2; ++round)
    if (!search.fit(sample)) return false;

  const Coordinates coordinates(search.edges);
  std::array<std::vector<double>, core::max_components> sites;
  for (const Vector3 &x : sample) {
    Vector3 cell{};
    double distance = 0;
    const std::size_t s = search.nearest_origin(coordinates, x, cell, distance);
    const Vector3 site = search.origins[s] + coordinates.place(cell);
    for (std::size_t d = 0; d < axes; ++d) sites[d].push_back(site[d]);
  }
  for (std::size_t d = 0; d < axes; ++d) {
    if (box[d].period == 0) continue;
    const std::int64_t begin = window_begin(sites[d], box[d]);
    if (begin < -core::max_site_reach || begin + box[d].period > core::max_site_reach) return false;
    lattice.window.low[d] = begin * (std::int64_t{1} << core::site_fraction);
    lattice.window.high[d] = (begin + box[d].period) * (std::int64_t{1} << core::site_fraction);
  }
  for (std::size_t e = 0; e < axes; ++e) {
    if (!is_within(search.edges[e], core::max_cell_edge)) return false;
    lattice.edge[e] = fixed(search.edges[e]);
    if (components == 2) lattice.edge[e][2] = 0;
  }
  for (Vector3 origin : search.origins) {
    if (components == 2) origin[2] = 0;
    if (!is_within(origin, core::max_site_reach)) return false;
    lattice.sublattices.push_back({fixed(origin), {}, {}});
  }
  return true;
}

}  // namespace gpz::cpu
