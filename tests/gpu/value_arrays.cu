// SPDX-License-Identifier: BSD-3-Clause
#include "../values/bound_check.hpp"
#include "../values/edge_values.hpp"
#include "value_arrays.hpp"

namespace gpz::test {
namespace {

using U64 = std::uint64_t;

__device__ U64 index() { return blockIdx.x * static_cast<U64>(blockDim.x) + threadIdx.x; }

__device__ void count(std::uint64_t &counter) { atomicAdd(reinterpret_cast<unsigned long long *>(&counter), 1ull); }

__device__ bool same_bits(float a, float b) { return __float_as_uint(a) == __float_as_uint(b); }
__device__ bool same_bits(double a, double b) { return __double_as_longlong(a) == __double_as_longlong(b); }

template <typename T>
__global__ void edges(T *values, U64 n, U64 seed, double step, int bits) {
  const U64 i = index();
  if (i < n) values[i] = values::edge_value<T>(seed, i, step, bits);
}

__global__ void floats(float *values, U64 n, std::uint32_t first) {
  const U64 i = index();
  if (i < n) values[i] = __uint_as_float(first + static_cast<std::uint32_t>(i));
}

__global__ void numbers(std::int32_t *ids, U64 n) {
  const U64 i = index();
  if (i < n) ids[i] = static_cast<std::int32_t>(i);
}

template <typename T>
__global__ void compare(const T *given, const T *decoded, const std::int32_t *ids, U64 n, int components, double bound,
                        std::uint32_t *seen, ValueReport *report) {
  const U64 i = index();
  if (i >= n) return;
  const U64 particle = ids == nullptr ? i : static_cast<U64>(static_cast<std::int64_t>(ids[i]));
  if (particle >= n) return count(report->unknown);
  if (seen != nullptr) {
    const std::uint32_t bit = 1u << (particle % 32);
    if ((atomicOr(&seen[particle / 32], bit) & bit) != 0) count(report->unknown);
  }
  unsigned exact = 0;
  for (int d = 0; d < components; ++d) {
    const T x = given[particle * static_cast<unsigned>(components) + static_cast<unsigned>(d)];
    const T y = decoded[i * static_cast<unsigned>(components) + static_cast<unsigned>(d)];
    if (same_bits(x, y)) {
      ++exact;
    } else if (!(bound > 0 && values::is_within(x, y, bound))) {
      count(report->misses);
      report->first_miss = particle * static_cast<unsigned>(components) + static_cast<unsigned>(d);
    }
  }
  // One atomic operation for the threads of a warp that are here together.
  const unsigned active = __activemask();
  const unsigned sum = __reduce_add_sync(active, exact);
  if (static_cast<int>(threadIdx.x & 31) == __ffs(static_cast<int>(active)) - 1 && sum != 0)
    atomicAdd(reinterpret_cast<unsigned long long *>(&report->exact), static_cast<unsigned long long>(sum));
}

constexpr unsigned threads = 256;
unsigned blocks(U64 n) { return static_cast<unsigned>((n + threads - 1) / threads); }

}  // namespace

template <typename T>
cudaError_t make_edge_values(T *values, U64 n, U64 seed, double step, int bits) {
  edges<<<blocks(n), threads>>>(values, n, seed, step, bits);
  return cudaGetLastError();
}
template cudaError_t make_edge_values(float *, U64, U64, double, int);
template cudaError_t make_edge_values(double *, U64, U64, double, int);

cudaError_t make_floats(float *values, U64 n, std::uint32_t first) {
  floats<<<blocks(n), threads>>>(values, n, first);
  return cudaGetLastError();
}

cudaError_t make_numbers(std::int32_t *ids, U64 n) {
  numbers<<<blocks(n), threads>>>(ids, n);
  return cudaGetLastError();
}

template <typename T>
cudaError_t compare_values(const T *given, const T *decoded, const std::int32_t *ids, U64 n, int components,
                           double bound, std::uint32_t *seen, ValueReport *report) {
  compare<<<blocks(n), threads>>>(given, decoded, ids, n, components, bound, seen, report);
  return cudaGetLastError();
}
template cudaError_t compare_values(const float *, const float *, const std::int32_t *, U64, int, double,
                                    std::uint32_t *, ValueReport *);
template cudaError_t compare_values(const double *, const double *, const std::int32_t *, U64, int, double,
                                    std::uint32_t *, ValueReport *);

}  // namespace gpz::test
