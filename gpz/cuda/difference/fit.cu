// SPDX-License-Identifier: BSD-3-Clause
// Prediction of a frame: fitted over a sample of blocks, then compared with no prediction over every second block of
// the sample. Sums are integers, so that their order does not matter.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/difference/kernels.hpp"
#include "gpz/cuda/difference/residuals.cuh"

namespace gpz::cuda {
namespace {

__host__ __device__ std::uint64_t sample_stride(std::uint64_t blocks) {
  return (blocks + core::max_fit_blocks - 1) / core::max_fit_blocks;
}

enum Feature { of_velocity, of_previous, of_mean, of_target, features };

// Features of value i of a block, computed as on a CPU.
template <typename T>
__device__ __forceinline__ void find_features(const DifferenceEncode &params, int d, std::uint64_t slot,
                                              std::int32_t (&x)[features]) {
  const DifferenceHistory &history = params.history;
  const std::int32_t last = history.last[d][slot];
  const DeviceIndex index =
      device_index(source_value<T>(params.source, d, source_row(params.source, slot)), params.source.grid);
  const std::int32_t q = index.good ? index.q : last;
  x[of_velocity] = history.velocity[d][slot];
  x[of_previous] = history.previous[d][slot];
  x[of_mean] = core::whole_offset(core::offset_to_mean(history.deviation[d][slot], history.reciprocal));
  x[of_target] = device_limit(device_displacement(q - last, history.axis[d]));
}

constexpr std::uint32_t fit_threads = 256;
constexpr std::uint32_t fit_items = difference_block / fit_threads;
constexpr int fit_sums = 9;

// One thread block for each axis and block of the sample, with all loads in flight at once.
template <typename T>
__global__ void __launch_bounds__(fit_threads) fit_blocks(const __grid_constant__ DifferenceEncode params) {
  __shared__ std::uint32_t all_rough[features];
  __shared__ unsigned long long all_sums[fit_sums];
  const std::uint64_t block = blockIdx.x * sample_stride(params.history.blocks);
  const auto d = static_cast<int>(blockIdx.y);
  if (block >= params.history.blocks || is_cancelled(params)) return;
  const std::uint32_t n = particles_of(params.history, block);
  if (threadIdx.x < features) all_rough[threadIdx.x] = 0;
  if (threadIdx.x < fit_sums) all_sums[threadIdx.x] = 0;
  __syncthreads();
  std::int32_t x[fit_items][features] = {};
#pragma unroll
  for (std::uint32_t k = 0; k < fit_items; ++k) {
    const std::uint32_t i = k * fit_threads + threadIdx.x;
    if (i < n) find_features<T>(params, d, block * difference_block + i, x[k]);
  }
#pragma unroll
  for (int f = 0; f < features; ++f) {
    std::uint32_t rough = 0;
#pragma unroll
    for (std::uint32_t k = 0; k < fit_items; ++k)
      rough += static_cast<std::uint32_t>(core::rough_bits(static_cast<std::uint32_t>(abs(x[k][f])) << 1));
    rough = warp_sum(rough);
    if (this_lane() == 0) atomicAdd(&all_rough[f], rough);
  }
  __syncthreads();
  std::int32_t most[features];
#pragma unroll
  for (int f = 0; f < features; ++f) most[f] = std::int32_t{1} << min(all_rough[f] / n + 5, 22u);
  std::int64_t sum[fit_sums] = {};
#pragma unroll
  for (std::uint32_t k = 0; k < fit_items; ++k) {
    bool usual = true;
#pragma unroll
    for (int f = 0; f < features; ++f) usual &= x[k][f] < most[f] && x[k][f] > -most[f];
    if (!usual) continue;
    const std::int64_t v = x[k][of_velocity];
    const std::int64_t p = x[k][of_previous];
    const std::int64_t m = x[k][of_mean];
    const std::int64_t t = x[k][of_target];
    const std::int64_t products[fit_sums] = {v * v, v * p, v * m, p * p, p * m, m * m, t * v, t * p, t * m};
#pragma unroll
    for (int s = 0; s < fit_sums; ++s) sum[s] += products[s];
  }
#pragma unroll
  for (int s = 0; s < fit_sums; ++s) {
    for (int offset = warp_size / 2; offset > 0; offset /= 2) sum[s] += __shfl_xor_sync(full_mask, sum[s], offset);
    if (this_lane() == 0) atomicAdd(&all_sums[s], static_cast<unsigned long long>(sum[s]));
  }
  __syncthreads();
  if (threadIdx.x < fit_sums) atomicAdd(&params.fit->sums[threadIdx.x], all_sums[threadIdx.x]);
}

// One warp per block of the smaller sample, with the fit (blockIdx.y 0) or without.
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
  find_residuals<T, D, Past::moving, true, false>(params, block, n, predictor, memory, totals);
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
  fit_blocks<T><<<dim3(samples, static_cast<unsigned>(components)), fit_threads, 0, stream>>>(params);
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

namespace {
const KernelFile kernels(reinterpret_cast<const void *>(fit_blocks<double>));
}  // namespace

}  // namespace gpz::cuda
