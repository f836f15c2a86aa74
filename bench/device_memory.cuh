// SPDX-License-Identifier: BSD-3-Clause
// Shared by the programs that time a GPU: errors of CUDA as exceptions, and arrays in device memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

namespace gpz::bench {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

template <typename T>
class OnDevice {
 public:
  explicit OnDevice(std::size_t count) { check(cudaMalloc(&data_, count * sizeof(T))); }
  explicit OnDevice(const std::vector<T> &values) : OnDevice(values.size()) {
    check(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~OnDevice() { cudaFree(data_); }
  OnDevice(const OnDevice &) = delete;
  OnDevice &operator=(const OnDevice &) = delete;
  T *get() const { return data_; }

 private:
  T *data_ = nullptr;
};

}  // namespace gpz::bench
