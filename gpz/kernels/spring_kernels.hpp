// SPDX-License-Identifier: BSD-3-Clause
// Forces of the springs of a crystal, compiled once for each instruction set (gpz/kernels/kernels.hpp; docs/format.md,
// section 10c).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/core/types.hpp"

namespace gpz::codec {

// Springs of each particle to `degree` neighbours; the degree is even, and at most core::max_spring_neighbours.
struct Springs {
  const std::uint32_t *neighbours;  // `degree` for each particle
  std::size_t degree;
  // For each component of the force: weights as in core::weighted_sums, and their sums over all neighbours.
  std::array<const std::int16_t *, core::max_components> rows;
  std::array<std::array<std::int32_t, core::max_components>, core::max_components> total;
};

struct SpringKernels {
  // Applies the network to a field (kernels/springs.hpp): out = D in, or 2 D in - before, of particles `first` to
  // `last` -
  // 1. `before` may be nullptr or `out`.
  void (*step)(const Springs &springs, std::size_t first, std::size_t last, const std::int16_t *in,
               const std::int16_t *before, std::int16_t *out);
};

namespace GPZ_ISA {
extern const SpringKernels spring_kernels;
}

}  // namespace gpz::codec
