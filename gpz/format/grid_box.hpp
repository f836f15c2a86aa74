// SPDX-License-Identifier: BSD-3-Clause
// The periodic edges of a box on the grid of a field.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "gpz/core/residual.hpp"
#include "gpz/frame.hpp"

namespace gpz::format {

// Periodic axes of x y z (or of xs ys zs, fractions of the edges). Only axes along which a crossing particle keeps its
// other coordinates are periodic. Axes of other fields and of unwrapped positions are open.
core::GridBox grid_box(const Box &box, const Field &field);
// As grid_box, but also with the periods of axes of triclinic boxes along which no edge lies.
core::GridBox named_edges(const Box &box, const Field &field);

// Edges of a tilted box. Edge y may have an x component, edge z x and y components.
struct TiltedEdges {
  core::GridBox axes{};
  std::array<std::int64_t, core::max_components> tilts{};  // xy, xz, yz
};
// Edges for positions in a box with three periodic edges, at least one of them tilted; otherwise nothing.
std::optional<TiltedEdges> tilted_edges(const Box &box, const Field &field);

}  // namespace gpz::format
