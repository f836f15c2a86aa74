// SPDX-License-Identifier: BSD-3-Clause
// The periodic edges of a box on the grid of a field.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "gpz/core/residual.hpp"
#include "gpz/frame.hpp"

namespace gpz::format {

// Axes of x y z (or xs ys zs, fractions of the edges) that particles leave on one side to come back on the other at the
// same place otherwise; those of other fields and of unwrapped positions are open.
core::GridBox grid_box(const Box &box, const Field &field);
// As grid_box, and the axes of triclinic boxes along which no edge is.
core::GridBox named_edges(const Box &box, const Field &field);

// Edges of a tilted box, of which edge y also leads along x, and edge z along x and y.
struct TiltedEdges {
  core::GridBox axes{};
  std::array<std::int64_t, core::max_components> tilts{};  // xy, xz, yz
};
// Of positions whose three edges are periodic, one of them tilted at least.
std::optional<TiltedEdges> tilted_edges(const Box &box, const Field &field);

}  // namespace gpz::format
