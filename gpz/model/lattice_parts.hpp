// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the lattice model, shared by its encoder and decoder (docs/format.md, section 10c).
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpz/core/residual.hpp"
#include "gpz/crystal/spring_lattice.hpp"

namespace gpz::model {

enum LatticeParts : std::uint8_t { has_lattice = 1, has_filter = 2, has_drift = 4, all_parts = 7 };

inline constexpr std::int32_t largest_drift = 1 << 28;

// Mean position relative to the ideal position, in field units. `own` is the displacement in the last frame.
inline std::int32_t offset_of_mean(std::int32_t deviation, std::int32_t reciprocal, std::int32_t own, int shift) {
  if (reciprocal == 0) return 0;
  const std::int32_t offset = crystal::rounded_shift(8 * core::offset_to_mean(deviation, reciprocal), shift);
  return std::clamp(offset + own, -crystal::field_limit, crystal::field_limit);
}

}  // namespace gpz::model
