// SPDX-License-Identifier: BSD-3-Clause
// Fits of the classes of molecules after a frame, in the order of operations that the format states.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/molecule/kernels.hpp"
#include "gpz/molecule/fit_formulas.hpp"

namespace gpz::cuda {
namespace {

constexpr unsigned threads = 64;
constexpr std::uint32_t numbers = sizeof(molecule::ClassSums) / sizeof(double);
static_assert(numbers * sizeof(double) == sizeof(molecule::ClassSums));

// A thread for each number of each class.
__global__ void add_segments(const molecule::ClassSums *sums, std::uint32_t segments, molecule::ClassRecord *records,
                             std::uint32_t classes) {
  const std::uint32_t at = blockIdx.x * threads + threadIdx.x;
  if (at >= classes * numbers) return;
  double &sum = reinterpret_cast<double *>(&records[at / numbers].sums)[at % numbers];
  const auto *const from = reinterpret_cast<const double *>(sums) + at;
  double all = sum * molecule::fading;
  for (std::uint64_t s = 0; s < segments; ++s) all += from[s * classes * numbers];
  sum = all;
}

__global__ void update_fits(molecule::ClassRecord *records, std::uint32_t classes) {
  const std::uint32_t c = blockIdx.x * threads + threadIdx.x;
  if (c < classes) molecule::update_fit(records[c].sums, records[c].fit);
}

const KernelFile kernels(reinterpret_cast<const void *>(update_fits));

}  // namespace

void launch_learn(const molecule::ClassSums *sums, std::uint32_t segments, molecule::ClassRecord *records,
                  std::uint32_t classes, cudaStream_t stream) {
  if (classes == 0) return;
  add_segments<<<(classes * numbers + threads - 1) / threads, threads, 0, stream>>>(sums, segments, records, classes);
  update_fits<<<(classes + threads - 1) / threads, threads, 0, stream>>>(records, classes);
  check(cudaGetLastError(), "fits of molecules");
}

}  // namespace gpz::cuda
