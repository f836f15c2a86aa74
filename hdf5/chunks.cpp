// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/chunks.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "gpz/choices.hpp"
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
  if (end == text || *end != '\0' || count < 0 || count > max_threads)
    throw Error(Status::invalid_argument,
                "GPZ_HDF5_THREADS is a number of threads, 0 for all cores, not \"" + std::string(text) + "\"");
  return static_cast<int>(count);
}

// The chunk that was decompressed last. Its compressed bytes are compared: a checksum can be forged.
struct LastChunk {
  std::mutex mutex;
  std::vector<std::uint8_t> bytes;
  FrameArrayShape shape;
  std::vector<std::uint8_t> values;

  bool is(const void *other, std::size_t size, const FrameArrayShape &wanted) const {
    return !values.empty() && shape == wanted && bytes.size() == size && std::memcmp(bytes.data(), other, size) == 0;
  }

  void keep(const void *from, std::size_t size, const FrameArrayShape &decoded_shape, const Buffer &decoded) {
    values.clear();  // the memory stays
    if (decoded.size() > most_kept || size > most_kept) return;
    const auto *const first = static_cast<const std::uint8_t *>(from);
    const auto *const value = static_cast<const std::uint8_t *>(decoded.data());
    try {
      bytes.assign(first, first + size);
      values.assign(value, value + decoded.size());
      shape = decoded_shape;
    } catch (const std::bad_alloc &) {
      values.clear();  // is() holds for no bytes
    }
  }
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

void require_threads() { threads(); }

Buffer decompressed(const void *bytes, std::size_t size, const Settings &settings) {
  LastChunk &last = last_chunk();
  // A thread that finds another one here decompresses by itself. After a fork nobody may ever leave.
  std::unique_lock<std::mutex> lock(last.mutex, std::try_to_lock);
  if (lock.owns_lock() && settings.shape && last.is(bytes, size, *settings.shape)) {
    Buffer buffer(last.values.size());
    std::memcpy(buffer.data(), last.values.data(), last.values.size());
    return buffer;
  }
  const FrameArrayShape shape = frame_array_info(bytes, size).shape;
  if (!settings.shape || !(shape == *settings.shape))
    throw Error(Status::corrupt, "a chunk of other frames, particles, components or type than its dataset has");
  Buffer buffer(shape.bytes());
  FrameArrayReadOptions options;
  options.threads = threads();
  decompress_frames(bytes, size, 0, shape.frames, buffer.data(), buffer.size(), options);
  if (lock.owns_lock()) last.keep(bytes, size, shape, buffer);
  return buffer;
}

}  // namespace gpz::hdf5
