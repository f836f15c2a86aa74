// SPDX-License-Identifier: BSD-3-Clause
// Chunks of a dataset: compressing and decompressing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hdf5/settings.hpp"

namespace gpz::hdf5 {

// Memory of malloc(), for HDF5; freed unless it was released.
class Buffer {
 public:
  // Throws std::bad_alloc.
  explicit Buffer(std::size_t size);
  ~Buffer();
  Buffer(Buffer &&other) noexcept : data_(other.release()), size_(other.size_) {}
  Buffer &operator=(Buffer &&) = delete;
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  void *data() const { return data_; }
  std::size_t size() const { return size_; }
  void *release();

 private:
  void *data_;
  std::size_t size_;
};

// `size` bytes of a chunk of these frames, compressed. HDF5 hands over whole chunks, also at the edge of a dataset.
// Throws as compress_frames, invalid_argument if the chunk has another size.
Bytes compressed(const void *chunk, std::size_t size, const Settings &settings);

// The values of a chunk, in the caller's memory. The last chunk is kept: readers such as MDAnalysis's close a dataset
// after each frame, and HDF5 then forgets its chunks. Thread-safe. Throws as decompress_frames.
Buffer decompressed(const void *bytes, std::size_t size);

}  // namespace gpz::hdf5
