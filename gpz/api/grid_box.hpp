// The periodic edges of a box on the grid of a field.
#pragma once

#include "gpz/cpu/difference_codec.hpp"
#include "gpz/frame.hpp"

namespace gpz::api {

// Axes of x y z (or xs ys zs, fractions of the edges) that particles leave on one side to come back on the other at the
// same place otherwise; those of other fields and of unwrapped positions are open.
cpu::GridBox grid_box(const Box &box, const Field &field);

}  // namespace gpz::api
