// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/common/device_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>

namespace gpz::cuda {
namespace {

struct Pool {
  cudaMemPool_t pool = nullptr;  // null: the device has no pools
  // Orders what take() and give_back() without a stream do. It does not wait for the default stream.
  cudaStream_t stream = nullptr;
};

// A pool that keeps all memory. Where none can be made, cudaMalloc says what is wrong.
Pool make_pool(int device) {
  int supported = 0;
  if (cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device) != cudaSuccess || supported == 0)
    return {};
  Pool made;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, device};
  std::uint64_t all = UINT64_MAX;
  if (cudaMemPoolCreate(&made.pool, &properties) != cudaSuccess) return {};
  if (cudaMemPoolSetAttribute(made.pool, cudaMemPoolAttrReleaseThreshold, &all) == cudaSuccess &&
      cudaStreamCreateWithFlags(&made.stream, cudaStreamNonBlocking) == cudaSuccess)
    return made;
  static_cast<void>(cudaMemPoolDestroy(made.pool));
  return {};
}

// The pool of the current device. It is never destroyed: at the end of a process, CUDA may have ended before.
cudaError_t find_pool(Pool &pool) {
  static auto &mutex = *new std::mutex;
  static auto &pools = *new std::map<int, Pool>;
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = pools.find(device);
  if (found != pools.end()) {
    pool = found->second;
    return cudaSuccess;
  }
  pool = make_pool(device);
  if (pool.pool == nullptr) static_cast<void>(cudaGetLastError());
  pools[device] = pool;
  return cudaSuccess;
}

}  // namespace

cudaError_t DeviceMemory::take(void **data, std::size_t size) {
  Pool pool;
  cudaError_t error = find_pool(pool);
  if (error == cudaSuccess) error = take(data, size, pool.stream);
  if (error != cudaSuccess || pool.pool == nullptr) return error;
  // The memory may be of a piece that another stream has not passed yet.
  error = cudaStreamSynchronize(pool.stream);
  if (error == cudaSuccess) return error;
  static_cast<void>(cudaFreeAsync(*data, pool.stream));
  return error;
}

cudaError_t DeviceMemory::give_back(void *data) {
  const cudaError_t error = cudaDeviceSynchronize();
  const cudaError_t freed = cudaFree(data);
  return error != cudaSuccess ? error : freed;
}

cudaError_t DeviceMemory::take(void **data, std::size_t size, cudaStream_t stream) {
  Pool pool;
  const cudaError_t error = find_pool(pool);
  if (error != cudaSuccess) return error;
  const std::size_t asked = std::max<std::size_t>(size, 1);
  if (pool.pool == nullptr) return cudaMalloc(data, asked);
  return cudaMallocFromPoolAsync(data, asked, pool.pool, stream);
}

cudaError_t DeviceMemory::give_back(void *data, cudaStream_t stream) {
  Pool pool;
  const cudaError_t error = find_pool(pool);
  if (error != cudaSuccess) return error;
  return pool.pool == nullptr ? cudaFree(data) : cudaFreeAsync(data, stream);
}

cudaError_t DeviceMemory::pool_use(std::size_t &held, std::size_t &in_use) {
  held = in_use = 0;
  Pool pool;
  cudaError_t error = find_pool(pool);
  if (error != cudaSuccess || pool.pool == nullptr) return error;
  std::uint64_t bytes = 0;
  error = cudaMemPoolGetAttribute(pool.pool, cudaMemPoolAttrReservedMemCurrent, &bytes);
  held = bytes;
  if (error == cudaSuccess) error = cudaMemPoolGetAttribute(pool.pool, cudaMemPoolAttrUsedMemCurrent, &bytes);
  in_use = bytes;
  return error;
}

cudaError_t DeviceMemory::trim_pool() {
  Pool pool;
  cudaError_t error = find_pool(pool);
  if (error != cudaSuccess || pool.pool == nullptr) return error;
  error = cudaDeviceSynchronize();
  return error != cudaSuccess ? error : cudaMemPoolTrimTo(pool.pool, 0);
}

}  // namespace gpz::cuda
