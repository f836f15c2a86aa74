// SPDX-License-Identifier: BSD-3-Clause
// Margin of an axis in modelled sections: how far beyond its edges a particle may have another image
// (docs/format.md, section 9).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpz/codec/parallel_parts.hpp"
#include "gpz/core/residual.hpp"

namespace gpz::model {

// Largest distance of a particle beyond the periodic edges of an axis, limited to core::largest_margin.
inline std::int64_t find_margin(const std::int64_t *q, std::size_t n, const core::GridAxis &axis, int threads = 1) {
  if (axis.period == 0) return 0;
  const auto parts = codec::parallel_parts<std::int64_t>(threads, n, [&](std::size_t first, std::size_t last) {
    std::int64_t most = 0;
    for (std::size_t i = first; i < last; ++i) most = core::max_of(most, core::beyond_edge(q[i], axis));
    return most;
  });
  const std::int64_t most = *std::max_element(parts.begin(), parts.end());
  return core::min_of(most, core::largest_margin(axis));
}

}  // namespace gpz::model
