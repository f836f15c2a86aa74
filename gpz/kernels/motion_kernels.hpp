// SPDX-License-Identifier: BSD-3-Clause
// Sums of pair forces, and the motion of particles under them (docs/format.md, section 10d), compiled once for each
// instruction set (gpz/kernels/kernels.hpp). Arithmetic is exact modulo 2^64, so the order of pairs does not matter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/core/types.hpp"
#include "gpz/kernels/pair_kernels.hpp"
#include "gpz/kernels/pair_lines.hpp"

namespace gpz::codec {

// Pairs of the particles with indices `begin` to `end` - 1 in a NeighbourList with other particles. The arrays of pairs
// have PairKernels::padding extra elements, whose partners are valid indices.
struct PairsOfParticles {
  std::size_t begin;
  std::size_t end;
  // Pairs first[k] to last[k] - 1 are those of the particle with index `begin` + k.
  const std::uint32_t *first;
  const std::uint32_t *last;
  const std::uint32_t *partner;
  const std::int16_t *separation[core::max_components];  // vector from the partner to the particle
  // Other threads may write to sums of particles that are in none of these pairs. If false, sum_forces may store such
  // sums unchanged.
  bool shares_sums = false;

  // Fine units are 1/8 of the units of `separation`.
  static constexpr int fine_bits = 3;
};

// Four numbers per particle: one per component, and an unused one.
struct Motion {
  static constexpr std::size_t stride = 4;

  std::uint64_t *near;  // sums of close forces
  std::int32_t *speed;  // here and below in units of 2^-8 grid steps
  std::int32_t *moved;
  std::int32_t *slow;
  std::int32_t *slow_change;
  std::int32_t *fine;  // `moved` in fine units
};

// Input for the start of a frame's motion.
struct MotionStart {
  const std::uint64_t *total;  // sums of all forces
  bool goes_on;                // continues the motion of the last frame
  std::int64_t part;           // of the time between two frames, in units of 2^-16
  std::int64_t gain;           // in units of 1/64, as `distrust`
  std::int64_t distrust;
  int force_shift;  // from a sum of forces to a force; negative: shift left
};

// A step of the motion. Fractions are in units of 2^-16.
struct MotionStep {
  std::int64_t part;       // of the time between two frames
  std::int64_t slow_part;  // of the change of slow forces
  int force_shift;
  int fine_shift;  // from `moved` to fine units
};

struct MotionKernels {
  // Adds the forces of all pairs to `sums`, four per particle. `fine`: displacements of the particles since
  // `separation` was computed, below 2^26 in magnitude, or nullptr.
  void (*sum_forces)(const PairsOfParticles &pairs, const std::int32_t *fine, const core::PairLines &lines,
                     std::uint64_t *sums);
  // Copies the pairs with squared distances below `end`, in fine units. Pairs first[k] to first[k + 1] - 1 of the copy
  // are those of the particle with index `pairs.begin` + k. The arrays of `to` must have room for all pairs and the
  // padding, and receive both. Returns the number of pairs.
  std::size_t (*take_close)(const PairsOfParticles &pairs, std::uint64_t end, std::uint32_t *first, const PairList &to);
  // On entry, `motion.fine` holds the last displacements in grid steps; `speed`, `moved` and `slow_change` hold the
  // state of the last frame (`slow_change`: its slow force). Replaces all arrays except `near`; `fine` becomes 0.
  void (*start)(const Motion &motion, std::size_t particles, const MotionStart &start);
  void (*step)(const Motion &motion, std::size_t particles, const MotionStep &step);
};

namespace GPZ_ISA {
extern const MotionKernels motion_kernels;
}

}  // namespace gpz::codec
