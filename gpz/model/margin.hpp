// SPDX-License-Identifier: BSD-3-Clause
// The margin of an axis: how far beyond its edges an encoder of modelled and ordered sections looks for other images
// (docs/format.md, section 9).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/core/residual.hpp"

namespace gpz::model {

// How far particles are beyond the periodic edges of an axis.
inline std::int64_t find_margin(const std::int64_t *q, std::size_t n, const core::GridAxis &axis) {
  if (axis.period == 0) return 0;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < n; ++i) most = core::max_of(most, core::beyond_edge(q[i], axis));
  return core::min_of(most, core::largest_margin(axis));
}

}  // namespace gpz::model
