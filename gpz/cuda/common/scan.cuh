// SPDX-License-Identifier: BSD-3-Clause
// Computes the offsets of payloads from their lengths.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include "gpz/cuda/common/check.hpp"

namespace gpz::cuda {

// The start value makes the sums 64 bits wide.
inline cudaError_t exclusive_sum(void *workspace, std::size_t &bytes, const std::uint32_t *in, std::uint64_t *out,
                                 std::uint64_t items, cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveScan(workspace, bytes, in, out, ::cuda::std::plus<std::uint64_t>{}, std::uint64_t{0},
                                        items, stream);
}

inline std::size_t scan_size(std::uint64_t items) {
  std::size_t bytes = 0;
  check(exclusive_sum(nullptr, bytes, nullptr, nullptr, items, nullptr), "size of the scan");
  return bytes;
}

}  // namespace gpz::cuda
