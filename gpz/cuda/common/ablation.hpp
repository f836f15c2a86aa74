// SPDX-License-Identifier: BSD-3-Clause
// Optimisations that a bench build can leave out, to see what each one brings (docs/results/gpu.md): the build defines
// GPZ_WITHOUT to the name of one. Everything else is compiled with all of them.
#pragma once

namespace gpz::cuda::ablation {

enum class Optimisation { none, full_block_kernels, staged_loads, lane_order, joined_bits, interleaved_stores };

#ifndef GPZ_WITHOUT
#define GPZ_WITHOUT none
#endif

constexpr bool has(Optimisation optimisation) { return optimisation != Optimisation::GPZ_WITHOUT; }

// Blocks that are full, on the grid and not wide have kernels of their own, with a warp for each.
inline constexpr bool full_block_kernels = has(Optimisation::full_block_kernels);
// Floats go through shared memory on their way to the registers.
inline constexpr bool staged_loads = has(Optimisation::staged_loads);
// Colliding atomics count in the order of the lanes, which is checked afterwards, instead of lanes finding their like.
inline constexpr bool lane_order = has(Optimisation::lane_order);
// Four bits of the bitmap are set at once.
inline constexpr bool joined_bits = has(Optimisation::joined_bits);
// x y z x y z goes to memory by whole lines.
inline constexpr bool interleaved_stores = has(Optimisation::interleaved_stores);

}  // namespace gpz::cuda::ablation
