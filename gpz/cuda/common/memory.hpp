// SPDX-License-Identifier: BSD-3-Clause
// Owners of CUDA runtime objects: the current device, memory, streams, events.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <new>
#include <string>

#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/device_memory.hpp"
#include "gpz/error.hpp"

namespace gpz::cuda {

// A failed call leaves its error for cudaGetLastError(). Removes errors that were handled.
inline void forget_last_error() { static_cast<void>(cudaGetLastError()); }

inline void check_handled(cudaError_t error, const char *what) {
  if (error != cudaSuccess) forget_last_error();
  check(error, what);
}

// Throws not_found.
inline void require_device(int device) {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess) {
    forget_last_error();
    throw Error(Status::not_found, std::string("no CUDA device: ") + cudaGetErrorString(error));
  }
  if (device < 0 || device >= devices)
    throw Error(Status::not_found,
                "no CUDA device " + std::to_string(device) + ", there are " + std::to_string(devices));
}

inline cudaMemoryType kind_of_memory(const void *data) {
  cudaPointerAttributes attributes{};
  check_handled(cudaPointerGetAttributes(&attributes, data), "kind of memory");
  return attributes.type;
}
inline bool is_in_host_memory(const void *data) {
  const cudaMemoryType kind = kind_of_memory(data);
  return kind == cudaMemoryTypeHost || kind == cudaMemoryTypeUnregistered;
}

// Throws invalid_argument unless the device can access `data`. A kernel that accesses other memory would destroy the
// context.
inline void require_reachable(const void *data, int device, const std::string &name) {
  cudaPointerAttributes attributes{};
  check_handled(cudaPointerGetAttributes(&attributes, data), "kind of memory");
  if (attributes.type == cudaMemoryTypeUnregistered) {
    int reaches_host_memory = 0;
    check_handled(cudaDeviceGetAttribute(&reaches_host_memory, cudaDevAttrPageableMemoryAccess, device),
                  "device attribute");
    if (reaches_host_memory == 0) throw Error(Status::invalid_argument, name + " is not in device memory");
  }
  if (attributes.type == cudaMemoryTypeDevice && attributes.device != device)
    throw Error(Status::invalid_argument, name + " is in memory of device " + std::to_string(attributes.device) +
                                              ", not of " + std::to_string(device));
}

class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    check_handled(cudaGetDevice(&before_), "current device");
    if (before_ == device) return;
    check_handled(cudaSetDevice(device), "setting the device");
    changed_ = true;
  }
  ~CurrentDevice() {
    if (changed_ && cudaSetDevice(before_) != cudaSuccess) forget_last_error();
  }
  CurrentDevice(const CurrentDevice &) = delete;
  CurrentDevice &operator=(const CurrentDevice &) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

// Pinned memory that is valid for all devices.
struct PinnedMemory {
  static constexpr const char *name = "pinned host memory";
  static cudaError_t take(void **data, std::size_t size) { return cudaHostAlloc(data, size, cudaHostAllocPortable); }
  static cudaError_t give_back(void *data) { return cudaFreeHost(data); }
};

[[noreturn]] inline void throw_no_memory(const char *name, std::size_t size) {
  throw Error(Status::out_of_memory, std::string("no ") + name + ": " + std::to_string(size) + " bytes are needed");
}

template <typename Memory>
class Buffer {
 public:
  Buffer() = default;
  ~Buffer() { release(); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  void *data() const { return data_; }
  std::size_t capacity() const { return capacity_; }

  // Allocates at least `size` bytes, and an eighth more if available, because the number of particles of an MPI rank
  // varies. The buffer must be empty.
  void allocate(std::size_t size) { allocate(size, size / 8); }
  void allocate(std::size_t size, std::size_t spare) {
    for (const std::size_t wanted : {size + spare, size}) {
      const cudaError_t error = Memory::take(&data_, wanted);
      if (error == cudaSuccess) {
        capacity_ = wanted;
        return;
      }
      data_ = nullptr;
      forget_last_error();
      if (error != cudaErrorMemoryAllocation) check(error, Memory::name);
    }
    throw_no_memory(Memory::name, size);
  }

  // Releasing device memory waits for work that may still use it. For pinned memory, the caller must have waited.
  void release() {
    if (data_ != nullptr && Memory::give_back(data_) != cudaSuccess) forget_last_error();
    data_ = nullptr;
    capacity_ = 0;
  }

 private:
  void *data_ = nullptr;
  std::size_t capacity_ = 0;
};
using DeviceBuffer = Buffer<DeviceMemory>;

// Makes room for `size` bytes, whose contents are lost. Returns whether memory was allocated. Throws out_of_memory.
inline bool grow(DeviceBuffer &buffer, std::size_t size) {
  if (size <= buffer.capacity()) return false;
  buffer.release();
  buffer.allocate(size);
  return true;
}

using PinnedBuffer = Buffer<PinnedMemory>;

// A report from the device in pinned memory, where kernels can write and where copies from the device run in their
// stream. The owner calls make() and release(), because it knows which device must be current.
template <typename T>
class PinnedReport {
 public:
  // Throws out_of_memory.
  void make() {
    memory_.release();
    memory_.allocate(sizeof(T), 0);
    report_ = new (memory_.data()) T();
  }
  void release() {
    memory_.release();
    report_ = nullptr;
  }

  T *get() const { return report_; }
  T *operator->() const { return report_; }
  T &operator*() const { return *report_; }

 private:
  PinnedBuffer memory_;
  T *report_ = nullptr;
};

// Belongs to the device that is current at construction.
class Event {
 public:
  // cudaEventBlockingSync: waiting threads sleep.
  explicit Event(unsigned flags = 0) {
    check_handled(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming | flags), "an event");
  }
  ~Event() {
    if (cudaEventDestroy(event_) != cudaSuccess) forget_last_error();
  }
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;

  cudaEvent_t get() const { return event_; }
  void record(cudaStream_t stream) { check_handled(cudaEventRecord(event_, stream), "recording an event"); }
  // Later work in the stream waits for the event. No effect if the event was never recorded.
  void hold(cudaStream_t stream) const { check_handled(cudaStreamWaitEvent(stream, event_, 0), "order of streams"); }
  // Returns at once if the event was never recorded.
  void wait() const { check_handled(cudaEventSynchronize(event_), "waiting for a copy"); }
  // True if wait() would return at once.
  bool is_over() const {
    const cudaError_t error = cudaEventQuery(event_);
    if (error == cudaErrorNotReady) {
      forget_last_error();
      return false;
    }
    check_handled(error, "waiting for a copy");
    return true;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// A stream that does not wait for the default stream. Belongs to the device that is current at construction.
class OwnStream {
 public:
  OwnStream() { check_handled(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream"); }
  ~OwnStream() {
    if (cudaStreamDestroy(stream_) != cudaSuccess) forget_last_error();
  }
  OwnStream(const OwnStream &) = delete;
  OwnStream &operator=(const OwnStream &) = delete;

  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace gpz::cuda
