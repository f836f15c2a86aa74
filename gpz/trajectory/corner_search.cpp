// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/corner_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "gpz/molecule/cell.hpp"

namespace gpz::trajectory {
namespace {

constexpr std::size_t particles_tested = 512;
constexpr std::size_t particles_fitted = 4096;
constexpr std::size_t tolerated_outside = 64;  // tolerated fraction: one particle in this many
constexpr unsigned wait = 16;                  // frames to wait after a search that found no better corner

std::vector<molecule::GridVector> positions_of(const codec::IndexColumns &q, std::size_t n, std::size_t most) {
  std::vector<molecule::GridVector> positions;
  for (std::size_t i = 0; i < n; i += n / most + 1) {
    const molecule::GridVector position{q[0][i], q[1][i], q[2][i]};
    const auto is_near = [](std::int64_t x) { return x <= core::max_axis_reach && x >= -core::max_axis_reach; };
    if (std::all_of(position.begin(), position.end(), is_near)) positions.push_back(position);
  }
  return positions;
}

// Number of particles outside the cell: the smaller of a parallelepiped and a brick, or only the parallelepiped if it
// leaves few outside.
std::size_t outside(const format::TiltedEdges &cell, const std::vector<molecule::GridVector> &positions) {
  std::size_t least = positions.size();
  const std::size_t tolerated = positions.size() / tolerated_outside;
  for (const bool is_brick : {false, true}) {
    if (least <= tolerated) break;
    const molecule::Cell tested(cell.axes, cell.tilts, is_brick);
    least = std::min(least, static_cast<std::size_t>(std::count_if(positions.begin(), positions.end(),
                                                                   [&](const molecule::GridVector &position) {
                                                                     return tested.wrap(position) != molecule::Image{};
                                                                   })));
  }
  return least;
}

crystal::Vector3 to_vector(const molecule::GridVector &vector) {
  return {static_cast<double>(vector[0]), static_cast<double>(vector[1]), static_cast<double>(vector[2])};
}

crystal::Vector3 corner_of(const format::TiltedEdges &cell) {
  return to_vector({cell.axes[0].lo, cell.axes[1].lo, cell.axes[2].lo});
}

format::TiltedEdges with_corner(format::TiltedEdges cell, const crystal::Vector3 &corner) {
  for (std::size_t d = 0; d < corner.size(); ++d) cell.axes[d].lo = std::llround(corner[d]);
  return cell;
}

// Start of an interval of this length in the middle of the values. Ignores a few outliers at both ends.
double begin_of(std::vector<double> &values, double length) {
  const std::size_t rest = values.size() / 256;
  const auto low = values.begin() + static_cast<std::ptrdiff_t>(rest);
  const auto high = values.end() - 1 - static_cast<std::ptrdiff_t>(rest);
  std::nth_element(values.begin(), low, values.end());
  const double lowest = *low;
  std::nth_element(low, high, values.end());
  return (lowest + *high) / 2 - length / 2;
}

}  // namespace

void CornerSearch::find_corner(format::TiltedEdges &cell, const codec::IndexColumns &q, std::size_t n) {
  const std::array<molecule::GridVector, 3> edges{{{cell.axes[0].period, 0, 0},
                                                   {cell.tilts[0], cell.axes[1].period, 0},
                                                   {cell.tilts[1], cell.tilts[2], cell.axes[2].period}}};
  std::array<crystal::Vector3, 3> vectors;
  std::transform(edges.begin(), edges.end(), vectors.begin(), to_vector);
  // An axis without an edge has no lower end.
  for (std::size_t d = 0; d < vectors.size(); ++d)
    if (cell.axes[d].period == 0) vectors[d][d] = 1;
  const crystal::CellCoordinates coordinates(vectors);
  const crystal::Vector3 named = corner_of(cell);

  std::vector<molecule::GridVector> positions = positions_of(q, n, particles_tested);
  const auto is_good = [&] { return outside(cell, positions) * tolerated_outside <= positions.size(); };
  const format::TiltedEdges given = cell;
  if (offset_ != crystal::Vector3{}) {
    cell = with_corner(cell, named + coordinates.position(offset_));
    if (is_good()) return;
  }
  const format::TiltedEdges last = std::exchange(cell, given);
  if (is_good()) return;
  cell = last;
  if (frames_to_wait_ != 0) {
    --frames_to_wait_;
    return;
  }

  positions = positions_of(q, n, particles_fitted);
  std::size_t fewest = outside(cell, positions);
  const std::size_t usual = outside(given, positions);
  if (usual <= fewest) {
    fewest = usual;
    cell = given;
  }
  if (fewest * tolerated_outside <= positions.size()) return;
  const std::size_t most = fewest / 2;
  crystal::Vector3 whole{};
  crystal::Vector3 brick{};
  std::vector<double> values(positions.size());
  for (std::size_t d = 0; d < whole.size(); ++d) {
    std::transform(positions.begin(), positions.end(), values.begin(), [&](const molecule::GridVector &position) {
      return coordinates.fractional(to_vector(position))[d];
    });
    whole[d] = begin_of(values, 1);
    std::transform(positions.begin(), positions.end(), values.begin(),
                   [&](const molecule::GridVector &position) { return static_cast<double>(position[d]); });
    brick[d] = begin_of(values, static_cast<double>(cell.axes[d].period));
  }
  bool is_found = false;
  for (const crystal::Vector3 &corner : {coordinates.position(whole), brick}) {
    const format::TiltedEdges moved = with_corner(cell, corner);
    const std::size_t count = outside(moved, positions);
    if (count > most || count >= fewest) continue;
    fewest = count;
    cell = moved;
    offset_ = coordinates.fractional(corner - named);
    is_found = true;
  }
  if (!is_found) frames_to_wait_ = wait;
}

}  // namespace gpz::trajectory
