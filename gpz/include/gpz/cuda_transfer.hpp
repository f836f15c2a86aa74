// Host arrays to a GPU and chunks back, around gpz::cuda::Codec, so that a program can go on while a chunk travels and
// is written: docs/gpu_api.md. Built with GPZ_CUDA=ON only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/export.h"

namespace gpz::cuda {

// 0 without a GPU or its driver.
GPZ_API int device_count() noexcept;

// Makes `device` the current one of the calling thread, as cudaSetDevice does. Throws Error (not_found, internal).
GPZ_API void use_device(int device);

// Both classes are bound to one device, which every call makes the current one, and then the caller's again. A thread
// that never chose a device has device 0, and restoring that makes a context on it: call use_device() first. They throw
// Error as Codec does: invalid_argument, out_of_memory, limit_exceeded, internal; not_found if there is no such device.

// Copies of host arrays in device memory, for fields of which some are in host memory. One object serves one host
// thread at a time.
class GPZ_API Upload {
 public:
  // Takes no memory yet. The first copy of pageable arrays takes 8 MiB of pinned host memory for good.
  explicit Upload(int device = 0);
  ~Upload();
  Upload(Upload &&) noexcept;
  Upload &operator=(Upload &&) noexcept;

  int device() const;

  // Points every component of `fields` that is in host memory (pageable or pinned) to a copy in device memory, where it
  // has the stride, and the address modulo 16, that it had. Components in device or managed memory stay as they are.
  // All have `rows` rows. Components of one stride that begin within one stride (x y z x y z, columns of a table)
  // travel together, the bytes between them included; nothing before the first element or behind the last is read.
  //
  // Copies are queued on `stream`, behind the work that is in it. When the call returns, or throws, the host arrays
  // have been read. The copies are valid until the next upload() or release(): what reads them has to be done by then,
  // or in the same stream before. Device memory grows when a frame needs more than any before, with some room to spare.
  // After an error `fields` are as they were, and after out_of_memory no copy is valid and no device memory held.
  void upload(std::vector<FieldInput> &fields, std::uint64_t rows, Stream stream = nullptr);

  // The same for a list of rows: returns the list in device memory, `rows` itself if it is there. Valid until the next
  // upload_rows() or release().
  const int *upload_rows(const int *rows, std::uint64_t count, Stream stream = nullptr);

  // Gives the device memory back; the next call allocates again.
  void release();
  MemoryUse memory() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

// A chunk on its way to pinned host memory. To write one chunk while the next one is encoded, use two of them in turn.
class GPZ_API HostCopy {
 public:
  explicit HostCopy(int device = 0);
  // Waits for the copy.
  ~HostCopy();
  HostCopy(HostCopy &&) noexcept;
  HostCopy &operator=(HostCopy &&) noexcept;

  // Takes pinned memory for chunks of up to `bytes` bytes, which start() does otherwise, with some room to spare; it is
  // kept until the object goes. Ends the view of before. out_of_memory if there is not as much; the object holds none
  // then, and can be used for smaller chunks.
  void reserve(std::size_t bytes);
  std::size_t capacity() const;

  // Queues the copy of what Codec::encode returned, on a stream of its own, and returns. The chunk has to stay valid
  // until wait() has returned. Waits for the copy of before and ends its view. Throws not_found for a chunk without
  // data.
  void start(const DeviceChunk &chunk);

  // Returns when the bytes are there; at once if nothing was started. Any threads may wait, several at a time, but not
  // while another one is in start() or reserve().
  void wait() const;

  // The chunk, after wait(), until the next start() or reserve(). Its checksum is 0: set it to chunk_checksum(), in the
  // thread that has time for it, before a Writer gets the view.
  ChunkView view() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::cuda
