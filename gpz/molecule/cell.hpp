// SPDX-License-Identifier: BSD-3-Clause
// The simulation box on the grid, with or without tilts: nearest image of a vector, and image of a position that is
// inside the box (docs/format.md, section 9d).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/core/residual.hpp"

namespace gpz::molecule {

// A position, or the vector between two positions, in grid steps. The vector from a parent to its particle is a bond
// vector.
using GridVector = std::array<std::int64_t, core::max_components>;
// How many edges of the box are added, for each axis.
using Image = std::array<std::int8_t, core::max_components>;

GPZ_HD bool is_none(const Image &image) { return (image[0] | image[1] | image[2]) == 0; }

GPZ_HD GridVector sum_of(const GridVector &a, const GridVector &b) {
  return {core::sum_of(a[0], b[0]), core::sum_of(a[1], b[1]), core::sum_of(a[2], b[2])};
}
GPZ_HD GridVector difference_of(const GridVector &a, const GridVector &b) {
  return {core::difference_of(a[0], b[0]), core::difference_of(a[1], b[1]), core::difference_of(a[2], b[2])};
}

class Cell {
 public:
  // Off-diagonal components of the edges: xy, xz, yz.
  using Tilts = std::array<std::int64_t, core::max_components>;

  Cell() = default;
  // Axes that core::checked_axis opens are open. With `is_brick`, positions are wrapped into a brick whose faces do not
  // move with the tilts.
  explicit Cell(const core::GridBox &axes, const Tilts &tilts = {}, bool is_brick = true) : is_brick_(is_brick) {
    const std::array<GridVector, 3> edges{
        {{axes[0].period, 0, 0}, {tilts[0], axes[1].period, 0}, {tilts[1], tilts[2], axes[2].period}}};
    for (std::size_t d = 0; d < edges.size(); ++d) {
      axes_[d] = core::checked_axis(axes[d]);
      if (axes_[d].period == 0) continue;
      edges_[d] = edges[d];
      size_[d] = static_cast<std::uint64_t>(axes_[d].period);
    }
    is_straight_ = tilts == Tilts{};
  }

  // Shortens a vector to its nearest image, by one edge per axis at most. Returns the edges that were removed: the
  // original vector is the shortened one plus these edges.
  GPZ_HD Image shorten(GridVector &vector) const {
    Image image{};
    for (std::size_t d = vector.size(); d-- > 0;) {
      if (axes_[d].period == 0) continue;
      const std::int64_t half = axes_[d].period / 2;
      const int edges = vector[d] > half ? 1 : vector[d] < -half ? -1 : 0;
      if (edges == 0) continue;
      vector = difference_of(vector, times(edges, d));
      image[d] = static_cast<std::int8_t>(edges);
    }
    return image;
  }

  // The axes of a box without tilts, whose nearest images are those of core::displacement; nullptr for a tilted one.
  const core::GridBox *straight_axes() const { return is_straight_ ? &axes_ : nullptr; }

  const GridVector &edge(std::size_t axis) const { return edges_[axis]; }

  // True if a position is inside a box without tilts. Always false for a tilted box.
  GPZ_HD bool holds(const GridVector &position) const { return holds(position[0], position[1], position[2]); }
  GPZ_HD bool holds(std::int64_t x, std::int64_t y, std::int64_t z) const {
    const auto is_within = [&](std::int64_t at, std::size_t d) {
      return static_cast<std::uint64_t>(at) - static_cast<std::uint64_t>(axes_[d].lo) < size_[d];
    };
    return is_straight_ && is_within(x, 0) && is_within(y, 1) && is_within(z, 2);
  }

  // Edges that bring a position into the box. It may be one edge outside at most.
  GPZ_HD Image wrap(const GridVector &position) const {
    Image image{};
    if (is_straight_) {
      for (std::size_t d = 0; d < position.size(); ++d) {
        const core::GridAxis &axis = axes_[d];
        if (axis.period != 0) image[d] = position[d] < axis.lo ? 1 : position[d] >= axis.lo + axis.period ? -1 : 0;
      }
      return image;
    }
    GridVector at = position;
    std::array<double, 3> part{};  // position in fractions of the edges, from the corner of the box
    for (std::size_t d = at.size(); d-- > 0;) {
      const core::GridAxis &axis = axes_[d];
      if (axis.period == 0) continue;
      std::int64_t lo = axis.lo;
      if (!is_brick_)
        for (std::size_t e = at.size(); e-- > d + 1;)
          lo = core::sum_of(lo, static_cast<std::int64_t>(static_cast<double>(edges_[e][d]) * part[e]));
      const int edges = at[d] < lo ? 1 : at[d] >= core::sum_of(lo, axis.period) ? -1 : 0;
      at = sum_of(at, times(edges, d));
      image[d] = static_cast<std::int8_t>(edges);
      part[d] = limited_part(static_cast<double>(core::difference_of(at[d], lo)) / static_cast<double>(axis.period));
    }
    return image;
  }

  GPZ_HD GridVector moved(const GridVector &position, const Image &image) const {
    if (is_none(image)) return position;
    GridVector at = position;
    for (std::size_t d = 0; d < at.size(); ++d) at = sum_of(at, times(image[d], d));
    return at;
  }

 private:
  // Keeps products with an edge within 64 bits, also for positions far outside.
  GPZ_HD static double limited_part(double x) { return x > 2 ? 2 : x < -2 ? -2 : x; }
  GPZ_HD GridVector times(int count, std::size_t d) const {
    GridVector vector;
    for (std::size_t c = 0; c < vector.size(); ++c) vector[c] = core::product_of(count, edges_[d][c]);
    return vector;
  }

  core::GridBox axes_{};
  std::array<GridVector, 3> edges_{};
  std::array<std::uint64_t, 3> size_{UINT64_MAX, UINT64_MAX, UINT64_MAX};
  bool is_brick_ = true;
  bool is_straight_ = true;
};

}  // namespace gpz::molecule
