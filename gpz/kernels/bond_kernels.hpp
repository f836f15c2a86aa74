// SPDX-License-Identifier: BSD-3-Clause
// Distances of a particle from those in the slots before it, for the search for bonds. Compiled once for each
// instruction set (gpz/kernels/kernels.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/core/types.hpp"

namespace gpz::codec {

inline constexpr std::size_t bond_window = 63;  // in slots
// The memory of a row of squared distances; kernels read and write as many numbers from `nearest` on.
inline constexpr std::size_t bond_row = bond_window + 1;
using BondRow = std::array<float, bond_row>;

// Positions in a box without tilts. So many positions can be read after the last one.
struct BondPositions {
  static constexpr std::int64_t most = (1 << 30) - 1;  // of positions

  const std::int32_t *q[core::max_components];
  std::int32_t period[core::max_components];
  std::int32_t half[core::max_components];  // of the period; INT32_MAX: an open axis
};

// Longest squared distances of bonded particles.
struct BondLimits {
  float factor;   // relative to the squared distance from the nearest particle, of either of the two
  float longest;  // in squared grid steps
};

struct BondKernels {
  // Squared distances of the particle in `slot` from those in the `count` <= bond_window slots before it, in the order
  // of slots, and then infinity. Lowers `nearest`, the least ones so far of the same particles. Returns the least one.
  float (*measure)(const BondPositions &positions, std::size_t slot, std::size_t count, BondRow &squared,
                   float *nearest);
  // Finds the pairs of a particle that are within the limits. `own_nearest`: the least squared distance of the particle
  // itself. Returns their bits.
  std::uint64_t (*find_short)(const BondRow &squared, float own_nearest, const float *nearest,
                              const BondLimits &limits);
};

namespace GPZ_ISA {
extern const BondKernels bond_kernels;
}

}  // namespace gpz::codec
