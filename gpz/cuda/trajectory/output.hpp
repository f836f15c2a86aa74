// A chunk of differences as it is put together in device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gpz/api/difference_rules.hpp"
#include "gpz/cuda/common/memory.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/difference_chunk.hpp"

namespace gpz::cuda {

class ChunkOutput {
 public:
  // An empty chunk with room for `size` bytes in all.
  void start(std::size_t size) {
    used_ = 0;
    sent_.clear();
    if (size <= memory_.capacity()) return;
    memory_.release();
    memory_.allocate(size);
    ++allocations_;
  }
  void release() { memory_.release(); }

  // The place `offset` bytes behind what there is.
  void *at(std::size_t offset) const { return static_cast<char *>(memory_.data()) + used_ + offset; }
  std::size_t size() const { return used_; }
  void grow(std::size_t size) { used_ += size; }
  void cut(std::size_t size) { used_ = size; }

  // Some devices read host memory later: it is kept until the next start().
  void append(std::vector<std::uint8_t> bytes, cudaStream_t stream) {
    sent_.push_back(std::move(bytes));
    const std::vector<std::uint8_t> &kept = sent_.back();
    check(cudaMemcpyAsync(at(0), kept.data(), kept.size(), cudaMemcpyHostToDevice, stream), "bytes of a section");
    grow(kept.size());
  }
  void append(const DeviceChunk &part, cudaStream_t stream) {
    check(cudaMemcpyAsync(at(0), part.data, part.size, cudaMemcpyDeviceToDevice, stream), "part of a chunk");
    grow(part.size);
  }
  // What stands in front of all else.
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

// What a section starts with; of predicted values that are all as expected, it is all of it.
inline std::vector<std::uint8_t> coding(format::FieldCodingKind kind, const api::Crossed &crossed) {
  std::vector<std::uint8_t> bytes;
  format::ByteWriter writer(bytes);
  writer.u8(kind);
  writer.raw(crossed.data(), crossed.size());
  writer.pad_to_8();
  return bytes;
}

// Bytes in front of the indices of a section without exact values.
inline std::size_t prefix_size(int components) {
  return format::field_coding_size + static_cast<std::size_t>(components) * format::grid_axis_size + 8;
}

}  // namespace gpz::cuda
