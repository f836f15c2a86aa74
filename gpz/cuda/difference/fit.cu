// SPDX-License-Identifier: BSD-3-Clause
// The prediction of a frame: fitted over some blocks, then compared with none over every other of them. Sums are
// integers, so their order does not matter.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/difference/kernels.hpp"
#include "gpz/cuda/difference/residuals.cuh"

namespace gpz::cuda {
namespace {

__host__ __device__ std::uint64_t sample_stride(std::uint64_t blocks) {
  return (blocks + core::max_fit_blocks - 1) / core::max_fit_blocks;
}

enum Feature { of_velocity, of_previous, of_mean, of_target, features };

// Features of value i of a block, as on a CPU.
template <typename T>
__device__ __forceinline__ void find_features(const DifferenceEncode &params, int d, std::uint64_t slot,
                                              std::int32_t (&x)[features]) {
  const DifferenceHistory &history = params.history;
  const std::int32_t last = history.last[d][slot];
  const DeviceIndex index =
      device_index(source_value<T>(params.source, d, source_row(params.source, slot)), params.source.grid);
  const std::int32_t q = index.good() ? index.q : last;
  x[of_velocity] = history.velocity[d][slot];
  x[of_previous] = history.previous[d][slot];
  x[of_mean] = core::whole_way(core::way_to_mean(history.deviation[d][slot], history.reciprocal));
  x[of_target] = device_limit(device_displacement(q - last, history.axis[d]));
}

// One warp a block of the sample and axis.
template <typename T>
__global__ void __launch_bounds__(warp_size) fit_blocks(const __grid_constant__ DifferenceEncode params) {
  const std::uint64_t block = blockIdx.x * sample_stride(params.history.blocks);
  const auto d = static_cast<int>(blockIdx.y);
  if (block >= params.history.blocks || is_cancelled(params)) return;
  const std::uint32_t n = particles_of(params.history, block);
  const std::uint64_t first = block * difference_block;
  std::uint32_t rough[features] = {};
#pragma unroll 4
  for (std::uint32_t i = this_lane(); i < n; i += warp_size) {
    std::int32_t x[features];
    find_features<T>(params, d, first + i, x);
    for (int f = 0; f < features; ++f)
      rough[f] += static_cast<std::uint32_t>(core::rough_bits(static_cast<std::uint32_t>(abs(x[f])) << 1));
  }
  std::int32_t most[features];
  for (int f = 0; f < features; ++f) most[f] = std::int32_t{1} << min(warp_sum(rough[f]) / n + 5, 22u);
  std::int64_t sum[9] = {};
#pragma unroll 4
  for (std::uint32_t i = this_lane(); i < n; i += warp_size) {
    std::int32_t x[features];
    find_features<T>(params, d, first + i, x);
    bool usual = true;
    for (int f = 0; f < features; ++f) usual &= x[f] < most[f] && x[f] > -most[f];
    if (!usual) continue;
    const std::int64_t v = x[of_velocity];
    const std::int64_t p = x[of_previous];
    const std::int64_t m = x[of_mean];
    const std::int64_t t = x[of_target];
    const std::int64_t products[9] = {v * v, v * p, v * m, p * p, p * m, m * m, t * v, t * p, t * m};
    for (int k = 0; k < 9; ++k) sum[k] += products[k];
  }
  for (int k = 0; k < 9; ++k) {
    for (int offset = warp_size / 2; offset > 0; offset /= 2) sum[k] += __shfl_xor_sync(full_mask, sum[k], offset);
    if (this_lane() == 0) atomicAdd(&params.fit->sums[k], static_cast<unsigned long long>(sum[k]));
  }
}

// One warp a block of the smaller sample, with the fit (blockIdx.y 0) or without.
template <typename T, int D>
__global__ void __launch_bounds__(warp_size) measure_blocks(const __grid_constant__ DifferenceEncode params) {
  __shared__ ResidualMemory memory;
  const bool with = blockIdx.y == 0;
  core::Predictor predictor;
  if (with) {
    core::FitSums sums;
    for (int k = 0; k < 6; ++k) sums.product[k] = static_cast<std::int64_t>(params.fit->sums[k]);
    for (int k = 0; k < 3; ++k) sums.target[k] = static_cast<std::int64_t>(params.fit->sums[6 + k]);
    predictor = core::fit_predictor(sums);
    if (blockIdx.x == 0 && this_lane() == 0) params.fit->fitted = predictor;
  }
  const std::uint64_t block = 2 * blockIdx.x * sample_stride(params.history.blocks);
  if (block >= params.history.blocks || is_cancelled(params)) return;
  const std::uint32_t n = particles_of(params.history, block);
  ResidualTotals totals[D];
  clear(memory);
  find_residuals<T, D, true, true, false>(params, block, n, predictor, memory, totals);
  std::uint32_t bits = 0;
#pragma unroll 1
  for (int d = 0; d < D; ++d) {
    const ResidualTotals of_axis = d == 0 ? totals[0] : d == 1 ? totals[D > 1 ? 1 : 0] : totals[D - 1];
    bits += choose_code(own_row(memory, d, n), memory.any_forced != 0, n, of_axis).cost;
  }
  if (this_lane() == 0)
    atomicAdd(with ? &params.fit->with : &params.fit->without, static_cast<unsigned long long>(bits));
}

template <typename T>
void launch(const DifferenceEncode &params, int components, cudaStream_t stream) {
  const std::uint64_t stride = sample_stride(params.history.blocks);
  const auto samples = static_cast<unsigned>((params.history.blocks + stride - 1) / stride);
  fit_blocks<T><<<dim3(samples, static_cast<unsigned>(components)), warp_size, 0, stream>>>(params);
  check(cudaGetLastError(), "fit of the prediction");
  const dim3 measured((samples + 1) / 2, 2);
  if (components == 1) measure_blocks<T, 1><<<measured, warp_size, 0, stream>>>(params);
  if (components == 2) measure_blocks<T, 2><<<measured, warp_size, 0, stream>>>(params);
  if (components == 3) measure_blocks<T, 3><<<measured, warp_size, 0, stream>>>(params);
  check(cudaGetLastError(), "test of the prediction");
}

}  // namespace

void launch_fit_differences(const DifferenceEncode &params, int components, ConstArray::Type type,
                            cudaStream_t stream) {
  if (type == ConstArray::Type::float32) launch<float>(params, components, stream);
  if (type == ConstArray::Type::float64) launch<double>(params, components, stream);
}

}  // namespace gpz::cuda
