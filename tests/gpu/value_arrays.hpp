// SPDX-License-Identifier: BSD-3-Clause
// Many values on a device: made there, and compared there with what was decoded of them, without rounding
// (tests/values/bound_check.hpp).
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gpz::test {

struct ValueReport {
  std::uint64_t misses;      // finite and not within the bound, or neither finite nor the same bits
  std::uint64_t first_miss;  // one of them: number of the value
  std::uint64_t exact;       // the same bits
  std::uint64_t unknown;     // ids that no particle has, or that another had
};

// values[i] = edge_value<T>(seed, i, step, bits), T float or double.
template <typename T>
cudaError_t make_edge_values(T *values, std::uint64_t n, std::uint64_t seed, double step, int bits);
// The floats whose bits are `first`, `first` + 1, ...
cudaError_t make_floats(float *values, std::uint64_t n, std::uint32_t first);
// 0, 1, ...
cudaError_t make_numbers(std::int32_t *ids, std::uint64_t n);

// Compares `components` values of each of n particles, which are next to each other. Decoded particle i is given
// particle ids[i], or i without ids. `seen` has a bit for each particle, all clear, in (n + 31) / 32 words, or is
// nullptr. The report is device memory, all zero.
template <typename T>
cudaError_t compare_values(const T *given, const T *decoded, const std::int32_t *ids, std::uint64_t n, int components,
                           double bound, std::uint32_t *seen, ValueReport *report);

}  // namespace gpz::test
