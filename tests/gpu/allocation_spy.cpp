// SPDX-License-Identifier: BSD-3-Clause
#include "allocation_spy.hpp"

#include <cuda_runtime_api.h>

#include <atomic>
#include <limits>

// With --wrap=NAME, calls of NAME end at __wrap_NAME, and __real_NAME is the function itself: names of the linker's.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
cudaError_t __real_cudaMalloc(void **, size_t);
cudaError_t __real_cudaMallocAsync(void **, size_t, cudaStream_t);
cudaError_t __real_cudaMallocFromPoolAsync(void **, size_t, cudaMemPool_t, cudaStream_t);
cudaError_t __real_cudaMallocManaged(void **, size_t, unsigned);
cudaError_t __real_cudaMallocHost(void **, size_t);
cudaError_t __real_cudaHostAlloc(void **, size_t, unsigned);
cudaError_t __real_cudaFree(void *);
cudaError_t __real_cudaFreeAsync(void *, cudaStream_t);
cudaError_t __real_cudaFreeHost(void *);
}

namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

std::atomic<std::uint64_t> device_count{0};
std::atomic<std::uint64_t> pinned_count{0};
std::atomic<std::int64_t> live_count{0};
std::atomic<std::uint64_t> left{never};

bool may_allocate() {
  std::uint64_t now = left.load();
  while (now != 0 && now != never)
    if (left.compare_exchange_weak(now, now - 1)) return true;
  return now != 0;
}

template <typename F>
cudaError_t allocate(std::atomic<std::uint64_t> &count, F &&f) {
  // More than any machine has: the runtime refuses it, and leaves its error for cudaGetLastError() as it always does.
  void *nothing = nullptr;
  if (!may_allocate()) return __real_cudaMalloc(&nothing, std::size_t{1} << 60);
  const cudaError_t error = f();
  if (error == cudaSuccess) {
    ++count;
    ++live_count;
  }
  return error;
}

template <typename F>
cudaError_t release(const void *memory, F &&f) {
  const cudaError_t error = f();
  if (error == cudaSuccess && memory != nullptr) --live_count;
  return error;
}

}  // namespace

extern "C" {

cudaError_t __wrap_cudaMalloc(void **memory, size_t size) {
  return allocate(device_count, [&] { return __real_cudaMalloc(memory, size); });
}
cudaError_t __wrap_cudaMallocAsync(void **memory, size_t size, cudaStream_t stream) {
  return allocate(device_count, [&] { return __real_cudaMallocAsync(memory, size, stream); });
}
cudaError_t __wrap_cudaMallocFromPoolAsync(void **memory, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return allocate(device_count, [&] { return __real_cudaMallocFromPoolAsync(memory, size, pool, stream); });
}
cudaError_t __wrap_cudaMallocManaged(void **memory, size_t size, unsigned flags) {
  return allocate(device_count, [&] { return __real_cudaMallocManaged(memory, size, flags); });
}
cudaError_t __wrap_cudaMallocHost(void **memory, size_t size) {
  return allocate(pinned_count, [&] { return __real_cudaMallocHost(memory, size); });
}
cudaError_t __wrap_cudaHostAlloc(void **memory, size_t size, unsigned flags) {
  return allocate(pinned_count, [&] { return __real_cudaHostAlloc(memory, size, flags); });
}
cudaError_t __wrap_cudaFree(void *memory) {
  return release(memory, [&] { return __real_cudaFree(memory); });
}
cudaError_t __wrap_cudaFreeAsync(void *memory, cudaStream_t stream) {
  return release(memory, [&] { return __real_cudaFreeAsync(memory, stream); });
}
cudaError_t __wrap_cudaFreeHost(void *memory) {
  return release(memory, [&] { return __real_cudaFreeHost(memory); });
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)

namespace gpz::test::allocation_spy {

std::uint64_t device_allocations() { return device_count; }
std::uint64_t pinned_allocations() { return pinned_count; }
std::int64_t live() { return live_count; }
void fail_after(std::uint64_t count) { left = count; }
void stop_failing() { left = never; }

}  // namespace gpz::test::allocation_spy
