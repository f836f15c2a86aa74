// SPDX-License-Identifier: BSD-3-Clause
// A chunk in device memory, whose heads are read on the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda/difference/difference.hpp"
#include "gpz/format/opened_chunk.hpp"

namespace gpz::cuda {

class DeviceSteps;

// Where a key frame in steps leaves what difference frames after it need. Without it, the CPU decodes such a frame.
struct KeySteps {
  DeviceSteps *steps = nullptr;
  DeviceDifferenceState *state = nullptr;  // of field 0; has room for all particles
};

// Memory for values that the CPU decodes, and how many threads it may use.
struct HostValues {
  PinnedBuffer on_host;
  DeviceBuffer on_device;
  std::unique_ptr<Event> sent;  // recorded after the copy
  int threads = 1;

  // Waits until the values before were copied. Growth waits for all work. Throws out_of_memory.
  void reserve(std::size_t size) {
    if (sent == nullptr) sent = std::make_unique<Event>();
    sent->wait();
    if (size > on_host.capacity()) {
      on_host.release();
      on_host.allocate(size);
    }
    if (size > on_device.capacity()) {
      on_device.release();
      on_device.allocate(size);
    }
  }
  // The caller has waited for all work.
  void release() {
    on_host.release();
    on_device.release();
    sent.reset();
  }
};

// The part of a chunk that was copied to the host last.
struct HeadCache {
  HostValues values;
  PinnedBuffer memory;
  std::size_t begin = 0;  // from the start of the chunk
  std::size_t end = 0;
};

class ChunkBytes {
 public:
  // The bytes on the host, for reading heads: memory, or a function (ReadBytes). Without either, heads are copied from
  // the device, which waits for the stream.
  struct OnHost {
    const void *memory = nullptr;
    const std::function<void(std::size_t, void *, std::size_t)> *read = nullptr;
  };

  ChunkBytes(const void *device, const OnHost &host, std::size_t size, HeadCache &cache, cudaStream_t stream)
      : device_(static_cast<const char *>(device)),
        host_(static_cast<const std::uint8_t *>(host.memory)),
        read_(host.read),
        size_(size),
        cache_(&cache),
        stream_(stream) {
    cache.begin = cache.end = 0;
  }

  std::size_t size() const { return size_; }
  HostValues &values() const { return cache_->values; }
  const void *device(std::size_t offset = 0) const { return device_ + base_ + offset; }
  // `count` bytes from `offset` on, or fewer at the end. Valid until the next call.
  const std::uint8_t *host(std::size_t offset, std::size_t count) const {
    offset = std::min(offset, size_);
    count = std::min(count, size_ - offset);
    if (host_ != nullptr) return host_ + base_ + offset;
    if (count == 0) return nullptr;
    if (base_ + offset < cache_->begin || base_ + offset + count > cache_->end) fetch(offset, count);
    return static_cast<const std::uint8_t *>(cache_->memory.data()) + (base_ + offset - cache_->begin);
  }
  // Reads for format::open_chunk.
  std::function<void(std::uint64_t, std::uint8_t *, std::size_t)> reader() const {
    return [this](std::uint64_t at, std::uint8_t *to, std::size_t count) {
      if (count != 0) std::memcpy(to, host(static_cast<std::size_t>(at), count), count);
    };
  }
  // Returns these bytes with their head. `chunk` is not copied and must outlive the result.
  ChunkBytes opened_as(const format::OpenedChunk &chunk) const {
    ChunkBytes out = *this;
    out.opened_ = &chunk;
    return out;
  }
  const format::OpenedChunk &opened() const { return *opened_; }
  // For the decoder of an independent chunk.
  ChunkBytes with_steps(const KeySteps &steps) const {
    ChunkBytes out = *this;
    out.steps_ = steps;
    return out;
  }
  const KeySteps &steps() const { return steps_; }
  // A part, which must be within the bytes.
  ChunkBytes part(std::size_t offset, std::size_t size) const {
    ChunkBytes out = *this;
    out.base_ += offset;
    out.size_ = size;
    out.opened_ = nullptr;
    out.steps_ = {};
    return out;
  }

 private:
  // More than requested, because the bytes that follow are often read next.
  static constexpr std::size_t usual = 2048;

  void fetch(std::size_t offset, std::size_t count) const {
    count = std::max(count, std::min(usual, size_ - offset));
    cache_->begin = cache_->end = 0;
    if (count > cache_->memory.capacity()) {
      cache_->memory.release();
      cache_->memory.allocate(count);
    }
    if (read_ != nullptr) {
      (*read_)(base_ + offset, cache_->memory.data(), count);
    } else {
      check(cudaMemcpyAsync(cache_->memory.data(), device(offset), count, cudaMemcpyDeviceToHost, stream_),
            "head of a chunk");
      check(cudaStreamSynchronize(stream_), "head of a chunk");
    }
    cache_->begin = base_ + offset;
    cache_->end = cache_->begin + count;
  }

  const char *device_;
  const std::uint8_t *host_;
  const std::function<void(std::size_t, void *, std::size_t)> *read_;
  std::size_t base_ = 0;
  std::size_t size_;
  const format::OpenedChunk *opened_ = nullptr;
  KeySteps steps_;
  HeadCache *cache_;
  cudaStream_t stream_;
};

}  // namespace gpz::cuda
