// SPDX-License-Identifier: BSD-3-Clause
// A difference chunk that is assembled in device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda_codec.hpp"

namespace gpz::cuda {

class ChunkOutput {
 public:
  // Starts an empty chunk with room for `size` bytes in all.
  void start(std::size_t size) {
    used_ = 0;
    sent_.clear();
    if (size <= memory_.capacity()) return;
    memory_.release();
    memory_.allocate(size);
    ++allocations_;
  }
  void release() { memory_.release(); }

  // Address `offset` bytes after the current end.
  void *at(std::size_t offset) const { return static_cast<char *>(memory_.data()) + used_ + offset; }
  std::size_t size() const { return used_; }
  void grow(std::size_t size) { used_ += size; }
  void cut(std::size_t size) { used_ = size; }

  // Copies bytes to the current end. They are kept until the next start(), because some devices read host memory later.
  void place(std::vector<std::uint8_t> bytes, cudaStream_t stream) {
    sent_.push_back(std::move(bytes));
    const std::vector<std::uint8_t> &kept = sent_.back();
    check(cudaMemcpyAsync(at(0), kept.data(), kept.size(), cudaMemcpyHostToDevice, stream), "bytes of a section");
  }
  void append(std::vector<std::uint8_t> bytes, cudaStream_t stream) {
    const std::size_t size = bytes.size();
    place(std::move(bytes), stream);
    grow(size);
  }
  void append(const DeviceChunk &part, cudaStream_t stream) {
    check(cudaMemcpyAsync(at(0), part.data, part.size, cudaMemcpyDeviceToDevice, stream), "part of a chunk");
    grow(part.size);
  }
  // Writes the bytes before the sections.
  void set_head(const std::vector<std::uint8_t> &bytes, cudaStream_t stream) {
    check(cudaMemcpyAsync(memory_.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice, stream), "chunk header");
  }
  const void *data() const { return memory_.data(); }

  std::size_t device_bytes() const { return memory_.capacity(); }
  std::uint64_t allocations() const { return allocations_; }

 private:
  DeviceBuffer memory_;
  std::size_t used_ = 0;
  std::vector<std::vector<std::uint8_t>> sent_;
  std::uint64_t allocations_ = 0;
};

}  // namespace gpz::cuda
