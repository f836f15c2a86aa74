// SPDX-License-Identifier: BSD-3-Clause
// What the GPU tests share: device memory, streams, and skipping where there is no GPU.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpz/error.hpp"

namespace gpz::test {

// An exception ends a test as a failed assertion does, and works in constructors and threads as well.
inline void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error));
}

inline int gpus() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess) return devices;
  static_cast<void>(cudaGetLastError());
  return 0;
}

template <typename F>
Status status_of(F &&call) {
  try {
    call();
  } catch (const Error &error) {
    return error.status();
  }
  return Status::ok;
}

// The device is whole and no call has left an error.
inline void expect_healthy() {
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (gpus() == 0) GTEST_SKIP() << "no GPU on this machine";
  }
};

// Memory of the current device, filled with a pattern: nothing may depend on what was there.
class DeviceMemory {
 public:
  static constexpr std::uint8_t pattern = 0xAB;

  explicit DeviceMemory(std::size_t size) : size_(size) {
    check(cudaMalloc(&data_, size + 16));
    check(cudaMemset(data_, pattern, size + 16));
    check(cudaDeviceSynchronize());  // streams of the tests do not wait for the default stream
  }
  DeviceMemory(const void *from, std::size_t size) : DeviceMemory(size) {
    if (size != 0) check(cudaMemcpy(data_, from, size, cudaMemcpyHostToDevice));
    check(cudaDeviceSynchronize());
  }
  ~DeviceMemory() { cudaFree(data_); }
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  void *get() const { return data_; }
  template <typename T>
  T *as() const {
    return static_cast<T *>(data_);
  }
  std::size_t size() const { return size_; }
  std::vector<std::uint8_t> bytes(std::size_t size) const {
    std::vector<std::uint8_t> out(size);
    if (size != 0) check(cudaMemcpy(out.data(), data_, size, cudaMemcpyDeviceToHost));
    return out;
  }
  std::vector<std::uint8_t> bytes() const { return bytes(size_); }

 private:
  void *data_ = nullptr;
  std::size_t size_;
};

// One T that host and device can write.
template <typename T>
class Pinned {
 public:
  Pinned() { check(cudaHostAlloc(reinterpret_cast<void **>(&value_), sizeof(T), cudaHostAllocPortable)); }
  ~Pinned() { cudaFreeHost(value_); }
  Pinned(const Pinned &) = delete;
  Pinned &operator=(const Pinned &) = delete;

  T *get() const { return value_; }
  T &operator*() const { return *value_; }
  T *operator->() const { return value_; }

 private:
  T *value_ = nullptr;
};

// Does not wait for the default stream, so that only its own order counts.
class OwnStream {
 public:
  OwnStream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~OwnStream() { cudaStreamDestroy(stream_); }
  OwnStream(const OwnStream &) = delete;
  OwnStream &operator=(const OwnStream &) = delete;

  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace gpz::test
