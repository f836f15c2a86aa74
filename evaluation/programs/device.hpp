// SPDX-License-Identifier: BSD-3-Clause
// Device memory with an owner, and errors of the CUDA runtime as exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace evaluation {

inline void check(cudaError_t error, const char *what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

// Waits for the device; throws what kernels before have left.
inline void finish(const char *what) {
  check(cudaDeviceSynchronize(), what);
  check(cudaGetLastError(), what);
}

// Whether the device can be used after a failure. If so, the failure is forgotten.
inline bool usable() {
  const bool sound = cudaDeviceSynchronize() == cudaSuccess;
  static_cast<void>(cudaGetLastError());
  return sound;
}

class Memory {
 public:
  Memory() = default;
  explicit Memory(std::size_t size) : size_(size) { check(cudaMalloc(&data_, size == 0 ? 1 : size), "device memory"); }
  ~Memory() { static_cast<void>(cudaFree(data_)); }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  Memory(Memory &&other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  Memory &operator=(Memory &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  template <typename T = void>
  T *as() const {
    return static_cast<T *>(data_);
  }
  std::size_t size() const { return size_; }

 private:
  void *data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace evaluation
