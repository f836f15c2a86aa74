// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/chunks.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "gpz/chunk.hpp"
#include "gpz/error.hpp"

namespace gpz::hdf5 {
namespace {

constexpr std::size_t most_kept = std::size_t{256} << 20;  // bytes of values; larger chunks are not kept

// Number of threads, which HDF5 has no setting for.
int threads() {
  const char *const text = std::getenv("GPZ_HDF5_THREADS");
  if (text == nullptr) return 1;
  char *end = nullptr;
  const long count = std::strtol(text, &end, 10);
  constexpr long most = 4096;
  if (end == text || *end != '\0' || count < 0 || count > most)
    throw Error(Status::invalid_argument,
                "GPZ_HDF5_THREADS is a number of threads, 0 for all cores, not \"" + std::string(text) + "\"");
  return static_cast<int>(count);
}

// The chunk that was decompressed last.
struct LastChunk {
  std::mutex mutex;
  std::uint64_t checksum = 0;  // of the compressed bytes
  std::size_t size = 0;        // of these
  std::vector<std::uint8_t> values;
};

LastChunk &last_chunk() {
  static LastChunk *const chunk = new LastChunk;  // never destroyed: HDF5 may close files when a program ends
  return *chunk;
}

}  // namespace

Buffer::Buffer(std::size_t size) : data_(std::malloc(std::max<std::size_t>(size, 1))), size_(size) {
  if (data_ == nullptr) throw std::bad_alloc();
}
Buffer::~Buffer() { std::free(data_); }
void *Buffer::release() { return std::exchange(data_, nullptr); }

Bytes compressed(const void *chunk, std::size_t size, const Settings &settings) {
  const FrameArrayShape &shape = *settings.shape;
  if (shape.bytes() != size)
    throw Error(Status::invalid_argument, "a chunk of " + std::to_string(size) + " bytes, where its dataset says " +
                                              std::to_string(shape.bytes()));
  FrameArrayOptions options = settings.options;
  options.threads = threads();
  return compress_frames(chunk, shape, options);
}

Buffer decompressed(const void *bytes, std::size_t size) {
  const std::uint64_t checksum = chunk_checksum(bytes, size);
  LastChunk &last = last_chunk();
  // A thread that finds another one here decompresses by itself. After a fork nobody may ever leave.
  std::unique_lock<std::mutex> lock(last.mutex, std::try_to_lock);
  if (lock.owns_lock() && !last.values.empty() && last.checksum == checksum && last.size == size) {
    Buffer buffer(last.values.size());
    std::memcpy(buffer.data(), last.values.data(), last.values.size());
    return buffer;
  }
  const FrameArrayShape shape = frame_array_info(bytes, size).shape;
  Buffer buffer(shape.bytes());
  FrameArrayReadOptions options;
  options.threads = threads();
  decompress_frames(bytes, size, 0, shape.frames, buffer.data(), buffer.size(), options);
  if (lock.owns_lock() && buffer.size() <= most_kept) {
    last.values.clear();  // the memory stays
    const auto *const from = static_cast<const std::uint8_t *>(buffer.data());
    last.values.assign(from, from + buffer.size());
    last.checksum = checksum;
    last.size = size;
  }
  return buffer;
}

}  // namespace gpz::hdf5
