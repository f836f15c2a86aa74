// SPDX-License-Identifier: BSD-3-Clause
// Device memory of gpz: from a pool of its own on each device (docs/decisions/0084-memory-pool.md), or from cudaMalloc
// where the device has no pools.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace gpz::cuda {

// Memory of the current device, aligned to 256 bytes.
struct DeviceMemory {
  static constexpr const char *name = "device memory";

  // When take() returns, the memory can be used in every stream. give_back() waits for all work of the device, because
  // any of it may use the memory.
  static cudaError_t take(void **data, std::size_t size);
  static cudaError_t give_back(void *data);

  // Later work of `stream` can use the memory. give_back() does not wait: earlier work of `stream` may still use it.
  static cudaError_t take(void **data, std::size_t size, cudaStream_t stream);
  static cudaError_t give_back(void *data, cudaStream_t stream);

  // Bytes that the pool holds, and those of them that are in use; 0 without a pool.
  static cudaError_t pool_use(std::size_t &held, std::size_t &in_use);
  // Gives what is not in use to the driver. Waits for all work of the device, because memory that was given back in the
  // order of a stream is in use until then.
  static cudaError_t trim_pool();
};

}  // namespace gpz::cuda
