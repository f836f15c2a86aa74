// SPDX-License-Identifier: BSD-3-Clause
#include "observables.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gpz::bench {
namespace {

// Points in the order of cells that are at least `range` wide, wrapped into the box, whose origin is 0.
struct Cells {
  std::array<std::size_t, 3> count;
  std::vector<std::size_t> start;  // of each cell's points, and the end of the last
  std::array<std::vector<double>, 3> position;
};

Cells sorted_into_cells(const std::vector<Point> &points, const PeriodicBox &box, double range) {
  Cells cells;
  // More cells than particles would only be empty ones.
  const auto most = static_cast<std::size_t>(std::cbrt(static_cast<double>(points.size()))) + 1;
  for (std::size_t d = 0; d < 3; ++d)
    cells.count[d] = std::min(most, std::max(std::size_t{1}, static_cast<std::size_t>(box.edges[d] / range)));
  std::vector<std::size_t> cell(points.size());
  std::vector<Point> wrapped(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d) {
      double x = (points[i][d] - box.origin[d]) / box.edges[d];
      x -= std::floor(x);
      wrapped[i][d] = x * box.edges[d];
      const auto at = static_cast<std::size_t>(x * static_cast<double>(cells.count[d]));
      cell[i] = cell[i] * cells.count[d] + std::min(at, cells.count[d] - 1);  // x may have been rounded to 1
    }
  cells.start.assign(cells.count[0] * cells.count[1] * cells.count[2] + 1, 0);
  for (const std::size_t c : cell) ++cells.start[c + 1];
  for (std::size_t c = 1; c < cells.start.size(); ++c) cells.start[c] += cells.start[c - 1];
  for (auto &axis : cells.position) axis.resize(points.size());
  std::vector<std::size_t> next(cells.start.begin(), cells.start.end() - 1);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t to = next[cell[i]]++;
    for (std::size_t d = 0; d < 3; ++d) cells.position[d][to] = wrapped[i][d];
  }
  return cells;
}

// A cell with itself and its neighbours, each once, however few cells there are.
std::vector<std::size_t> around(const Cells &cells, std::size_t cell) {
  const std::size_t at[3] = {cell / cells.count[2] / cells.count[1], cell / cells.count[2] % cells.count[1],
                             cell % cells.count[2]};
  std::vector<std::size_t> found = {0};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t n = cells.count[d];
    std::vector<std::size_t> extended;
    for (const std::size_t c : found)
      for (std::size_t step = 0; step < std::min<std::size_t>(n, 3); ++step)
        extended.push_back(c * n + (at[d] + n - 1 + step) % n);
    found = std::move(extended);
  }
  return found;
}

double nearest(double difference, double edge) {
  if (difference > edge / 2) return difference - edge;
  return difference < -edge / 2 ? difference + edge : difference;
}

}  // namespace

RadialDistribution::RadialDistribution(double range, std::size_t bins) : range_(range), pairs_(bins), ideal_(bins) {
  if (!(range > 0) || bins == 0) throw std::invalid_argument("a radial distribution needs a range and bins");
}

void RadialDistribution::add(const std::vector<Point> &points, const PeriodicBox &box) {
  if (*std::min_element(box.edges.begin(), box.edges.end()) < 2 * range_)
    throw std::invalid_argument("the range of the radial distribution exceeds half of the box");
  const Cells cells = sorted_into_cells(points, box, range_);
  const auto &[x, y, z] = cells.position;
  const double per_width = static_cast<double>(pairs_.size()) / range_;
  for (std::size_t cell = 0; cell + 1 < cells.start.size(); ++cell)
    for (const std::size_t other : around(cells, cell)) {
      if (other < cell) continue;
      for (std::size_t i = cells.start[cell]; i < cells.start[cell + 1]; ++i)
        for (std::size_t j = other == cell ? i + 1 : cells.start[other]; j < cells.start[other + 1]; ++j) {
          const double dx = nearest(x[i] - x[j], box.edges[0]);
          const double dy = nearest(y[i] - y[j], box.edges[1]);
          const double dz = nearest(z[i] - z[j], box.edges[2]);
          const double squared = dx * dx + dy * dy + dz * dz;
          if (squared >= range_ * range_) continue;
          const auto bin = static_cast<std::size_t>(std::sqrt(squared) * per_width);
          ++pairs_[std::min(bin, pairs_.size() - 1)];
        }
    }

  const auto n = static_cast<double>(points.size());
  const double density = n * (n - 1) / 2 / (box.edges[0] * box.edges[1] * box.edges[2]);
  for (std::size_t bin = 0; bin < ideal_.size(); ++bin) {
    const double inner = static_cast<double>(bin) / per_width;
    const double outer = static_cast<double>(bin + 1) / per_width;
    ideal_[bin] += density * 4 * 3.14159265358979323846 / 3 * (outer * outer * outer - inner * inner * inner);
  }
}

std::vector<double> RadialDistribution::radii() const {
  std::vector<double> radii(pairs_.size());
  for (std::size_t bin = 0; bin < radii.size(); ++bin)
    radii[bin] = (static_cast<double>(bin) + 0.5) * range_ / static_cast<double>(radii.size());
  return radii;
}

std::vector<double> RadialDistribution::g() const {
  std::vector<double> g(pairs_.size());
  for (std::size_t bin = 0; bin < g.size(); ++bin)
    g[bin] = ideal_[bin] > 0 ? static_cast<double>(pairs_[bin]) / ideal_[bin] : 0;
  return g;
}

double mean_square_displacement(const std::vector<Point> &first, const std::vector<Point> &now) {
  if (first.size() != now.size()) throw std::invalid_argument("the number of particles changes");
  double sum = 0;
  for (std::size_t i = 0; i < now.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d) sum += (now[i][d] - first[i][d]) * (now[i][d] - first[i][d]);
  return now.empty() ? 0 : sum / static_cast<double>(now.size());
}

Difference largest_difference(const std::vector<double> &values, const std::vector<double> &reference, double least) {
  Difference largest;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double absolute = std::fabs(values.at(i) - reference[i]);
    largest.absolute = std::max(largest.absolute, absolute);
    if (reference[i] < least || absolute / reference[i] <= largest.relative) continue;
    largest.relative = absolute / reference[i];
    largest.at = i;
  }
  return largest;
}

}  // namespace gpz::bench
