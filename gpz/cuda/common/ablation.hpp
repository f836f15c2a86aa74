// SPDX-License-Identifier: BSD-3-Clause
// Optimisations that a benchmark build can leave out to measure their effect (docs/results/gpu.md). Such a build
// defines GPZ_WITHOUT to the name of one; other builds include all.
#pragma once

namespace gpz::cuda::ablation {

enum class Optimisation { none, full_block_kernels, staged_loads, lane_order, joined_bits, interleaved_stores };

#ifndef GPZ_WITHOUT
#define GPZ_WITHOUT none
#endif

constexpr bool has(Optimisation optimisation) { return optimisation != Optimisation::GPZ_WITHOUT; }

// Kernels with one warp per block, for blocks that are full, on the grid and not wide.
inline constexpr bool full_block_kernels = has(Optimisation::full_block_kernels);
// Floats are loaded through shared memory.
inline constexpr bool staged_loads = has(Optimisation::staged_loads);
// Colliding atomics count in the order of the lanes, which is checked afterwards. Without this, lanes match their
// counters.
inline constexpr bool lane_order = has(Optimisation::lane_order);
// Four bits of the bitmap are set at once.
inline constexpr bool joined_bits = has(Optimisation::joined_bits);
// Arrays of x y z x y z ... are written as whole cache lines.
inline constexpr bool interleaved_stores = has(Optimisation::interleaved_stores);

}  // namespace gpz::cuda::ablation
