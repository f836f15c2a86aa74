// SPDX-License-Identifier: BSD-3-Clause
// The memory pool of gpz on NVIDIA GPUs, and calls that take their memory from it (docs/gpu_api.md). Built with
// GPZ_CUDA=ON only.
//
//   gpz::cuda::PoolChunk chunk = gpz::cuda::compress_now(fields, particles, nullptr, stream);
//   gpz::cuda::decompress_now(chunk.memory.data(), chunk.size, particles, outputs, stream);
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/cuda.hpp"
#include "gpz/export.h"

namespace gpz::cuda {

// Device memory of gpz comes from a pool of its own on each device. Memory that is given back stays in the pool, so
// that allocating it again takes microseconds. Other processes cannot use it until trim_pool(). On a device without
// pools (cudaDevAttrMemoryPoolsSupported), the memory comes from cudaMalloc.
struct PoolUse {
  std::size_t held = 0;    // bytes of device memory; 0 without a pool
  std::size_t in_use = 0;  // of these
};
// Throws Error: not_found if there is no such device, internal.
GPZ_API PoolUse pool_use(int device = 0);

// Gives the memory that is not in use to the driver, so that others can use it. Waits for all work of the device.
// Throws Error: not_found if there is no such device, internal.
GPZ_API void trim_pool(int device = 0);

// Device memory from the pool, aligned to 256 bytes.
class GPZ_API PoolMemory {
 public:
  PoolMemory() = default;
  // Memory of the current device. Work that is queued on `stream` later can use it; other streams have to wait for
  // `stream` first. Throws Error: out_of_memory, internal.
  explicit PoolMemory(std::size_t size, Stream stream = nullptr);
  // As release().
  ~PoolMemory();
  PoolMemory(PoolMemory &&other) noexcept;
  PoolMemory &operator=(PoolMemory &&other) noexcept;

  void *data() const { return data_; }
  std::size_t size() const { return size_; }

  // Gives the memory back to the pool. Waits for all work of the device, because any of it may use the memory.
  void release() noexcept;
  // Gives the memory back in the order of `stream`, a stream of its device, without waiting: work that was queued on
  // `stream` earlier may still use the memory.
  void release(Stream stream) noexcept;

 private:
  void *data_ = nullptr;
  std::size_t size_ = 0;
  int device_ = 0;
};

// A chunk in the first `size` bytes of memory from the pool. The memory has room for the largest possible chunk. To
// keep many chunks, copy them.
struct PoolChunk {
  PoolMemory memory;
  std::size_t size = 0;
  std::vector<double> largest_error;  // per field, units of the field
};

// Each call allocates what it needs from the pool of the current device, runs after the work that is already in
// `stream`, and returns when it is complete. Arguments and errors are those of Codec::encode and Codec::decode. After
// an error, the memory is back in the pool.
GPZ_API PoolChunk compress_now(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows,
                               Stream stream = nullptr);
GPZ_API void decompress_now(const void *chunk, std::size_t size, std::uint64_t particles,
                            const std::vector<FieldOutput> &fields, Stream stream = nullptr, BlockRange range = {});

}  // namespace gpz::cuda
