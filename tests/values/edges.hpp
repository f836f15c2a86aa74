// SPDX-License-Identifier: BSD-3-Clause
// Many values near the edges of grid cells, and every float there is.
#pragma once

#include <cstdint>
#include <functional>

#include "bound_check.hpp"

namespace gpz::values {

struct Outcome {
  Tally tally;
  std::uint64_t digest = 0;  // of all files, in the order in which they were written
};

// At least `values` values near edges: float and double, 1 to 3 components, leading fields and others, bounds from
// 5e-324 to 1e300 and the usual steps and wider ones, both orders, 1 to 3 threads, 1 to 20,000 particles. The first
// `seed` files of the series are left out.
Outcome try_edges(std::uint64_t values, std::uint64_t seed);

// The floats whose bits are `first` and the `count` - 1 following numbers, in a leading field or another one.
Outcome try_floats(std::uint64_t first, std::uint64_t count, double bound, bool leading);

}  // namespace gpz::values
