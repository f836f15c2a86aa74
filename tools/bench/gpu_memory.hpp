// SPDX-License-Identifier: BSD-3-Clause
// Memory of a GPU, and its errors as failures of the command.
#pragma once

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "exit_code.hpp"
#include "gpz/cuda_memory.hpp"

namespace gpz::bench {

inline void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // or the next call would report it again
  const auto code = error == cudaErrorMemoryAllocation ? tool::ExitCode::limit : tool::ExitCode::other;
  throw tool::Failure(code, "", fmt::format("GPU: {}: {}", what, cudaGetErrorString(error)));
}

enum class Where { device, pinned_host };

// A piece of memory of the device, from cudaMalloc or from the pool of gpz, or of the host with pages that the device
// can reach.
class Memory {
 public:
  Memory() = default;
  // From the pool, for work in `stream`. Nothing for 0 bytes.
  Memory(cudaStream_t stream, std::size_t size) : size_(size) {
    if (size != 0) pool_ = cuda::PoolMemory(size, stream);
    data_ = pool_.data();
  }
  Memory(Where where, std::size_t size) : where_(where), size_(size) {
    const std::size_t asked = std::max<std::size_t>(size, 8);
    if (where == Where::device)
      check(cudaMalloc(&data_, asked), fmt::format("{} bytes of memory", asked).c_str());
    else
      check(cudaMallocHost(&data_, asked), fmt::format("{} bytes of pinned memory", asked).c_str());
  }
  ~Memory() {
    if (data_ == nullptr || data_ == pool_.data()) return;
    if (where_ == Where::device)
      cudaFree(data_);
    else
      cudaFreeHost(data_);
  }
  Memory(Memory &&other) noexcept
      : where_(other.where_),
        size_(other.size_),
        pool_(std::move(other.pool_)),
        data_(std::exchange(other.data_, nullptr)) {}
  Memory &operator=(Memory &&other) noexcept {
    std::swap(where_, other.where_);
    std::swap(size_, other.size_);
    std::swap(pool_, other.pool_);
    std::swap(data_, other.data_);
    return *this;
  }

  void *get() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  Where where_ = Where::device;
  std::size_t size_ = 0;
  cuda::PoolMemory pool_;
  void *data_ = nullptr;
};

inline void copy_now(void *to, const void *from, std::size_t size, const char *what) {
  if (size != 0) check(cudaMemcpy(to, from, size, cudaMemcpyDefault), what);
}

// Free memory of the device, bytes.
inline std::size_t free_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "free memory");
  return free;
}

}  // namespace gpz::bench
