// SPDX-License-Identifier: BSD-3-Clause
// Distances of a particle from those in the slots before it, for the search for bonds. Compiled once for each
// instruction set (gpz/kernels/kernels.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"

namespace gpz::codec {

// Longest distances of bonded particles. Roots of squares may be rounded: `margin` is slightly more than 1.
struct BondLimits {
  double factor;   // relative to the distance from the nearest particle, of either of the two
  double longest;  // in grid steps
  double margin;
};

struct BondKernels {
  // Squared distances of the particle in `slot` from those in the `count` slots before it, in the order of slots.
  void (*square_distances)(const std::int64_t *const q[core::max_components], std::size_t slot, std::size_t count,
                           const core::GridBox &box, double *squared);
  // Lowers each number to the other one if that is less.
  void (*lower)(const double *other, std::size_t count, double *number);
  double (*least)(const double *number, std::size_t count);  // count > 0
  // Finds the pairs of a particle with `count` <= 64 others that are within the limits. `nearest` has the distances of
  // the others from their nearest particles. Returns their bits.
  std::uint64_t (*find_short)(const double *squared, std::size_t count, double own_nearest, const double *nearest,
                              const BondLimits &limits);
};

namespace GPZ_ISA {
extern const BondKernels bond_kernels;
}

}  // namespace gpz::codec
