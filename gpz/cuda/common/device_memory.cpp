// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/common/device_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>

namespace gpz::cuda {
namespace {

// Orders what take() and give_back() without a stream do. Unlike a stream of gpz's own, it is valid after
// cudaDeviceReset(), as pools are.
cudaStream_t any_stream() { return cudaStreamPerThread; }

// A pool that keeps all memory; null if the device has none. If making one fails, cudaMalloc says what is wrong.
cudaMemPool_t make_pool(int device) {
  int supported = 0;
  if (cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device) != cudaSuccess || supported == 0)
    return nullptr;
  cudaMemPool_t pool = nullptr;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, device};
  if (cudaMemPoolCreate(&pool, &properties) != cudaSuccess) return nullptr;
  std::uint64_t all = UINT64_MAX;
  if (cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all) == cudaSuccess) return pool;
  static_cast<void>(cudaMemPoolDestroy(pool));
  return nullptr;
}

// The pool of the current device, or null. It is never destroyed: at the end of a process, CUDA may have ended before.
cudaError_t find_pool(cudaMemPool_t &pool) {
  static auto &mutex = *new std::mutex;
  static auto &pools = *new std::map<int, cudaMemPool_t>;
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = pools.find(device);
  if (found != pools.end()) {
    pool = found->second;
    return cudaSuccess;
  }
  pool = pools[device] = make_pool(device);
  if (pool == nullptr) static_cast<void>(cudaGetLastError());
  return cudaSuccess;
}

}  // namespace

cudaError_t DeviceMemory::take(void **data, std::size_t size) {
  cudaError_t error = take(data, size, any_stream());
  if (error != cudaSuccess) return error;
  // The memory may be that of a stream which has not given it back yet.
  error = cudaStreamSynchronize(any_stream());
  if (error != cudaSuccess) static_cast<void>(give_back(*data, any_stream()));
  return error;
}

cudaError_t DeviceMemory::give_back(void *data) {
  const cudaError_t error = cudaDeviceSynchronize();
  const cudaError_t freed = give_back(data, any_stream());
  return error != cudaSuccess ? error : freed;
}

cudaError_t DeviceMemory::take(void **data, std::size_t size, cudaStream_t stream) {
  cudaMemPool_t pool = nullptr;
  const cudaError_t error = find_pool(pool);
  if (error != cudaSuccess) return error;
  const std::size_t asked = std::max<std::size_t>(size, 1);
  if (pool == nullptr) return cudaMalloc(data, asked);
  return cudaMallocFromPoolAsync(data, asked, pool, stream);
}

cudaError_t DeviceMemory::give_back(void *data, cudaStream_t stream) {
  cudaMemPool_t pool = nullptr;
  const cudaError_t error = find_pool(pool);
  if (error != cudaSuccess) return error;
  return pool == nullptr ? cudaFree(data) : cudaFreeAsync(data, stream);
}

cudaError_t DeviceMemory::pool_use(std::size_t &held, std::size_t &in_use) {
  held = in_use = 0;
  cudaMemPool_t pool = nullptr;
  cudaError_t error = find_pool(pool);
  if (error != cudaSuccess || pool == nullptr) return error;
  std::uint64_t bytes = 0;
  error = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &bytes);
  held = bytes;
  if (error == cudaSuccess) error = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes);
  in_use = bytes;
  return error;
}

cudaError_t DeviceMemory::trim_pool() {
  cudaMemPool_t pool = nullptr;
  cudaError_t error = find_pool(pool);
  if (error != cudaSuccess || pool == nullptr) return error;
  error = cudaDeviceSynchronize();
  return error != cudaSuccess ? error : cudaMemPoolTrimTo(pool, 0);
}

}  // namespace gpz::cuda
