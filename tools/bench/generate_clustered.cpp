// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>

#include "bench/generators.hpp"
#include "bench/random.hpp"

namespace gpz::bench {
namespace {

using Point = std::array<double, 3>;

constexpr double box = 256;
constexpr double pi = 3.14159265358979323846;

double wrapped(double x) {
  x -= box * std::floor(x / box);
  return x < box ? x : 0;  // rounding can give the box itself
}

// Newton's iteration, because std::cbrt differs between libraries. From above it only falls; 0 < x < 1e12.
double cube_root(double x) {
  double root = 1 + x / 3;
  for (int k = 0; k < 100; ++k) {
    const double next = root - (root - x / (root * root)) / 3;
    if (!(next < root)) break;
    root = next;
  }
  return root;
}

// Two hundred times the mean density inside ten scale radii.
double scale_radius(std::size_t members, std::size_t particles) {
  const double mean_density = static_cast<double>(particles) / (box * box * box);
  return 0.1 * cube_root(3 * static_cast<double>(members) / (800 * pi * mean_density));
}

void add_halo(Random &random, std::size_t members, double scale, std::vector<Point> &points) {
  const Point centre = {random.uniform(0, box), random.uniform(0, box), random.uniform(0, box)};
  for (std::size_t k = 0; k < members; ++k) {
    // Hernquist's mass inside r is (r / (r + scale))^2.
    const double root = std::sqrt(random.uniform()) * (10.0 / 11.0);
    const double radius = scale * root / (1 - root);
    const auto direction = random.on_sphere();
    Point point{};
    for (std::size_t d = 0; d < 3; ++d) point[d] = wrapped(centre[d] + radius * direction[d]);
    points.push_back(point);
  }
}

std::vector<Point> haloes_and_background(std::size_t particles, std::uint64_t seed) {
  constexpr std::size_t smallest = 20;
  Random random(seed);
  std::vector<Point> points;
  points.reserve(particles);
  const std::size_t clustered = particles / 10 * 7;
  const std::size_t largest = std::max(smallest, particles / 50);
  while (points.size() < clustered) {
    // 1 / u gives numbers as m^-2; u is above 0.
    const double wanted = static_cast<double>(smallest) / (1 - random.uniform());
    const std::size_t members =
        std::min({wanted < static_cast<double>(largest) ? static_cast<std::size_t>(wanted) : largest,
                  clustered - points.size()});
    add_halo(random, members, scale_radius(members, particles), points);
  }
  while (points.size() < particles)
    points.push_back({random.uniform(0, box), random.uniform(0, box), random.uniform(0, box)});
  return points;
}

// Cells along an edge, such that one has about 32 particles.
std::size_t cells_for(std::size_t particles) {
  std::size_t cells = 1;
  while ((cells + 1) * (cells + 1) * (cells + 1) * 32 <= particles) ++cells;
  return cells;
}

}  // namespace

Cloud generate_clustered(const CloudShape &shape, std::uint64_t seed) {
  const std::vector<Point> points = haloes_and_background(shape.particles, seed);
  const std::size_t cells = cells_for(shape.particles);
  const auto cell_of = [&](const Point &point) {
    std::size_t cell = 0;
    for (std::size_t d = 3; d-- > 0;)
      cell = cell * cells + std::min(cells - 1, static_cast<std::size_t>(point[d] / box * static_cast<double>(cells)));
    return cell;
  };
  // A counting sort keeps the order inside a cell and takes no longer for many particles than for few.
  std::vector<std::size_t> next(cells * cells * cells + 1);
  for (const Point &point : points) ++next[cell_of(point) + 1];
  for (std::size_t c = 1; c < next.size(); ++c) next[c] += next[c - 1];
  Cloud cloud(shape.type, shape.layout, 3, shape.particles);
  for (const Point &point : points) {
    const std::size_t at = next[cell_of(point)]++;
    for (int d = 0; d < 3; ++d) cloud.set(at, d, point[static_cast<std::size_t>(d)]);
  }
  return cloud;
}

}  // namespace gpz::bench
