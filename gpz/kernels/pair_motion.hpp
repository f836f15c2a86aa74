// SPDX-License-Identifier: BSD-3-Clause
// Motion of particles under pair forces, for one component (docs/format.md, section 10d).
#pragma once

#include <cstdint>

#include "gpz/core/residual.hpp"
#include "gpz/kernels/rounding.hpp"

namespace gpz::core {

// Speeds, displacements and forces are in units of 2^-motion_bits grid steps.
inline constexpr int motion_bits = 8;
// Limit of speeds, displacements and forces.
inline constexpr std::int64_t motion_limit = (std::int64_t{1} << 30) - 1;

inline namespace GPZ_ISA {

GPZ_HD std::int32_t limit_motion(std::int64_t x) { return limited(x, motion_limit); }

// The change x between two frames, scaled to a part of the time between them. `part` is in units of 2^-16.
GPZ_HD std::int64_t part_of(std::int64_t x, std::int64_t part) { return rounded_shift(x * part, 16); }
GPZ_HD std::int64_t half_part_of(std::int64_t x, std::int64_t part) { return rounded_shift(x * part, 17); }

// Converts a sum over pairs to a force. `shift` may be negative.
GPZ_HD std::int64_t scaled_force(std::uint64_t sum, int shift) {
  const auto force = static_cast<std::int64_t>(sum);
  if (shift >= 0) return limit_motion(force >> shift);
  const int left = min_of(-shift, 31);
  return limited(force, motion_limit >> left) * (std::int64_t{1} << left);
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
