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
constexpr std::size_t particles_placed = 4096;
constexpr std::size_t tolerated_outside = 64;  // tolerated fraction: one particle in this many
constexpr unsigned wait = 16;                  // frames to wait after a search that found no better corner

std::vector<molecule::Way> places_of(const codec::IndexColumns &q, std::size_t n, std::size_t most) {
  std::vector<molecule::Way> places;
  for (std::size_t i = 0; i < n; i += n / most + 1) {
    const molecule::Way place{q[0][i], q[1][i], q[2][i]};
    const auto is_near = [](std::int64_t x) { return x <= core::max_axis_reach && x >= -core::max_axis_reach; };
    if (std::all_of(place.begin(), place.end(), is_near)) places.push_back(place);
  }
  return places;
}

// Number of particles outside the cell: the smaller of a parallelepiped and a brick, or only the parallelepiped if it
// leaves few outside.
std::size_t outside(const format::TiltedEdges &cell, const std::vector<molecule::Way> &places) {
  std::size_t least = places.size();
  const std::size_t tolerated = places.size() / tolerated_outside;
  for (const bool is_brick : {false, true}) {
    if (least <= tolerated) break;
    const molecule::Cell tested(cell.axes, cell.tilts, is_brick);
    least = std::min(
        least, static_cast<std::size_t>(std::count_if(places.begin(), places.end(), [&](const molecule::Way &place) {
          return tested.wrap(place) != molecule::Image{};
        })));
  }
  return least;
}

crystal::Vector3 to_vector(const molecule::Way &way) {
  return {static_cast<double>(way[0]), static_cast<double>(way[1]), static_cast<double>(way[2])};
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

void CornerSearch::place(format::TiltedEdges &cell, const codec::IndexColumns &q, std::size_t n) {
  const std::array<molecule::Way, 3> edges{{{cell.axes[0].period, 0, 0},
                                            {cell.tilts[0], cell.axes[1].period, 0},
                                            {cell.tilts[1], cell.tilts[2], cell.axes[2].period}}};
  std::array<crystal::Vector3, 3> vectors;
  std::transform(edges.begin(), edges.end(), vectors.begin(), to_vector);
  // An axis without an edge has no lower end.
  for (std::size_t d = 0; d < vectors.size(); ++d)
    if (cell.axes[d].period == 0) vectors[d][d] = 1;
  const crystal::CellCoordinates coordinates(vectors);
  const crystal::Vector3 named = corner_of(cell);

  std::vector<molecule::Way> places = places_of(q, n, particles_tested);
  const auto is_good = [&] { return outside(cell, places) * tolerated_outside <= places.size(); };
  const format::TiltedEdges given = cell;
  if (offset_ != crystal::Vector3{}) {
    cell = with_corner(cell, named + coordinates.place(offset_));
    if (is_good()) return;
  }
  const format::TiltedEdges last = std::exchange(cell, given);
  if (is_good()) return;
  cell = last;
  if (frames_to_wait_ != 0) {
    --frames_to_wait_;
    return;
  }

  places = places_of(q, n, particles_placed);
  std::size_t fewest = outside(cell, places);
  const std::size_t usual = outside(given, places);
  if (usual <= fewest) {
    fewest = usual;
    cell = given;
  }
  if (fewest * tolerated_outside <= places.size()) return;
  const std::size_t most = fewest / 2;
  crystal::Vector3 whole{};
  crystal::Vector3 brick{};
  std::vector<double> values(places.size());
  for (std::size_t d = 0; d < whole.size(); ++d) {
    std::transform(places.begin(), places.end(), values.begin(),
                   [&](const molecule::Way &place) { return coordinates.of(to_vector(place))[d]; });
    whole[d] = begin_of(values, 1);
    std::transform(places.begin(), places.end(), values.begin(),
                   [&](const molecule::Way &place) { return static_cast<double>(place[d]); });
    brick[d] = begin_of(values, static_cast<double>(cell.axes[d].period));
  }
  bool is_found = false;
  for (const crystal::Vector3 &corner : {coordinates.place(whole), brick}) {
    const format::TiltedEdges moved = with_corner(cell, corner);
    const std::size_t count = outside(moved, places);
    if (count > most || count >= fewest) continue;
    fewest = count;
    cell = moved;
    offset_ = coordinates.of(corner - named);
    is_found = true;
  }
  if (!is_found) frames_to_wait_ = wait;
}

}  // namespace gpz::trajectory
