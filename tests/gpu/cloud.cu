// SPDX-License-Identifier: BSD-3-Clause
#include "cloud.hpp"

namespace gpz::test {
namespace {

using U64 = std::uint64_t;

constexpr U64 cell = 512;  // particles that share a unit cube
constexpr U64 row = 1200;  // cubes along an axis

// SplitMix64's mixing.
__device__ U64 mix(U64 z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

__device__ float position(U64 particle, unsigned d) {
  U64 cube = particle / cell;
  for (unsigned i = 0; i < d; ++i) cube /= row;
  const auto fraction = static_cast<float>(mix(particle * 3 + d + 1) >> 40) * 0x1p-24f;
  return static_cast<float>(cube % row) + fraction;
}

__device__ U64 index() { return blockIdx.x * static_cast<U64>(blockDim.x) + threadIdx.x; }

__device__ void count(std::uint64_t &counter) { atomicAdd(reinterpret_cast<unsigned long long *>(&counter), 1ull); }

// False for NaN as well.
__device__ bool is_within(float a, float b, double bound) {
  return fabs(static_cast<double>(a) - static_cast<double>(b)) <= bound;
}

__global__ void make(float *xyz, std::int32_t *id, U64 n) {
  const U64 i = index();
  if (i >= n) return;
  for (unsigned d = 0; d < 3; ++d) xyz[3 * i + d] = position(i, d);
  id[i] = static_cast<std::int32_t>(i);
}

__global__ void look(const float *xyz, const std::int32_t *id, U64 n, double bound, std::uint32_t *seen,
                     CloudReport *report) {
  const U64 i = index();
  if (i >= n) return;
  const auto particle = static_cast<U64>(static_cast<std::int64_t>(id[i]));
  if (particle >= n) return count(report->unknown);
  const std::uint32_t bit = 1u << (particle % 32);
  if ((atomicOr(&seen[particle / 32], bit) & bit) != 0) count(report->twice);
  for (unsigned d = 0; d < 3; ++d)
    if (!is_within(xyz[3 * i + d], position(particle, d), bound)) count(report->outside);
}

__global__ void make_one(float *x, U64 n) {
  const U64 i = index();
  if (i < n) x[i] = position(i, 0);
}

__global__ void look_at_one(const float *x, U64 n, double bound, CloudReport *report) {
  const U64 i = index();
  if (i < n && !is_within(x[i], position(i, 0), bound)) count(report->outside);
}

constexpr unsigned threads = 256;
unsigned blocks(U64 n) { return static_cast<unsigned>((n + threads - 1) / threads); }

}  // namespace

cudaError_t make_cloud(float *xyz, std::int32_t *id, U64 n, cudaStream_t stream) {
  make<<<blocks(n), threads, 0, stream>>>(xyz, id, n);
  return cudaGetLastError();
}

cudaError_t check_cloud(const float *xyz, const std::int32_t *id, U64 n, double bound, std::uint32_t *seen,
                        CloudReport *report, cudaStream_t stream) {
  look<<<blocks(n), threads, 0, stream>>>(xyz, id, n, bound, seen, report);
  return cudaGetLastError();
}

cudaError_t make_column(float *x, U64 n, cudaStream_t stream) {
  make_one<<<blocks(n), threads, 0, stream>>>(x, n);
  return cudaGetLastError();
}

cudaError_t check_column(const float *x, U64 n, double bound, CloudReport *report, cudaStream_t stream) {
  look_at_one<<<blocks(n), threads, 0, stream>>>(x, n, bound, report);
  return cudaGetLastError();
}

}  // namespace gpz::test
