// SPDX-License-Identifier: BSD-3-Clause
// Grid indices on the device. They have 32 bits, because nearly all are below device_index_end in magnitude.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpz/core/quantize.hpp"
#include "gpz/core/types.hpp"
#include "gpz/cuda/common/index_end.hpp"

namespace gpz::cuda {

struct DeviceIndex {
  std::int32_t q;
  bool valid;  // the grid can hold the value
  bool good;   // and the index fits
  double error;
};

template <typename T>
__device__ __forceinline__ DeviceIndex device_index(T x, const core::Grid &grid) {
  if constexpr (std::is_integral_v<T>) {
    return {static_cast<std::int32_t>(x), true, x > -device_index_end && x < device_index_end, 0};
  } else {
    const core::Quantized<T> q = core::quantize(x, grid);
    const auto error = static_cast<double>(q.error);
    // Indices that fit are within the limit that `valid` checks.
    const bool fits = core::magnitude(q.scaled) < static_cast<double>(device_index_end - 1);
    return {static_cast<std::int32_t>(q.index), q.valid, fits && error < grid.bound, error};
  }
}

// The index that a state keeps of a value: 0 if the grid cannot hold it. Sets *wide if the index does not fit.
template <typename T>
__device__ __forceinline__ std::int32_t kept_index(T x, const core::Grid &grid, std::uint32_t *wide) {
  const DeviceIndex index = device_index(x, grid);
  if (index.valid && !index.good) *wide = 1;
  return index.good ? index.q : 0;
}

}  // namespace gpz::cuda
