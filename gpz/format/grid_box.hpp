// SPDX-License-Identifier: BSD-3-Clause
// The periodic edges of a box on the grid of a field.
#pragma once

#include "gpz/core/residual.hpp"
#include "gpz/frame.hpp"

namespace gpz::format {

// Axes of x y z (or xs ys zs, fractions of the edges) that particles leave on one side to come back on the other at the
// same place otherwise; those of other fields and of unwrapped positions are open.
core::GridBox grid_box(const Box &box, const Field &field);
// As grid_box, and the axes of triclinic boxes along which no edge is.
core::GridBox named_edges(const Box &box, const Field &field);

}  // namespace gpz::format
