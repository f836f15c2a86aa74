// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/crystal/spacing.hpp"

#include <algorithm>

#include "gpz/codec/functions.hpp"
#include "gpz/core/residual.hpp"

namespace gpz::crystal {

double mean_distance(const codec::DifferenceState &state, const core::GridBox &box) {
  double volume = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(state.components); ++d) {
    const core::GridAxis axis = core::checked_axis(box[d]);
    const auto [low, high] = std::minmax_element(state.axes[d].last.begin(), state.axes[d].last.end());
    const double extent = static_cast<double>(*high) - static_cast<double>(*low) + 1;
    // A slab does not fill its box.
    volume *= axis.period != 0 ? std::min(extent, static_cast<double>(axis.period)) : extent;
  }
  return codec::root_of(volume / static_cast<double>(state.particles), state.components);
}

}  // namespace gpz::crystal
