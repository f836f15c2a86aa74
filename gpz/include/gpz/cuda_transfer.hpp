// SPDX-License-Identifier: BSD-3-Clause
// Copies between host and GPU (docs/gpu_api.md). Upload copies arrays to the device. HostCopy copies compressed chunks
// to the host while the program continues. Download copies arrays to the host, where the encoders of the CPU read them.
// Built with GPZ_CUDA=ON only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/cuda_codec.hpp"
#include "gpz/export.h"

namespace gpz::cuda {

// The number of GPUs; 0 if there is no GPU or no driver.
GPZ_API int device_count() noexcept;

// Origin of the machine code of gpz's kernels for a device.
enum class KernelCode : std::uint8_t {
  native,              // contained in the library
  compiled_by_driver,  // compiled from PTX at the first call, which takes seconds; the driver caches the result
  none,                // the library has no code for the device: calls fail
};
// Depends on how the library was built; loads no kernel. Throws Error (not_found, internal).
GPZ_API KernelCode kernel_code(int device = 0);

// Makes `device` the current device of the calling thread, as cudaSetDevice does. Throws Error (not_found, internal).
GPZ_API void use_device(int device);

// Objects of Upload, HostCopy and Download belong to one device. Every call makes it the current device and restores
// the caller's before it returns. A thread that has not chosen a device has device 0, and restoring device 0 creates a
// CUDA context on it. To avoid that, call use_device() first. The classes throw Error as Codec does: invalid_argument,
// out_of_memory, limit_exceeded, internal; not_found if there is no such device.

// Copies the components of fields that are in host memory to device memory. One host thread at a time may use an
// object.
class GPZ_API Upload {
 public:
  // Allocates nothing. The first copy of pageable arrays allocates 8 MiB of pinned host memory, which the object keeps.
  explicit Upload(int device = 0);
  ~Upload();
  Upload(Upload &&) noexcept;
  Upload &operator=(Upload &&) noexcept;

  int device() const;

  // Copies every component of `fields` that is in host memory (pageable or pinned), and makes `fields` point to the
  // copies. A copy has the stride of the original, and the same address modulo 16. Components in device or managed
  // memory stay as they are. All components have `rows` rows. Components with the same stride that begin within one
  // stride of each other (x y z x y z, columns of a table) are copied together, with the bytes between them. Nothing
  // before the first element or after the last one is read.
  //
  // Copies are queued on `stream`. When the call returns, or throws, the host arrays have been read. The copies are
  // valid until the next upload() or release(): work that reads them must be finished by then, or run in the same
  // stream. Device memory is allocated, with some reserve, only when a frame needs more than any earlier one. After an
  // error `fields` are unchanged. After out_of_memory the object holds no device memory, and no copy is valid.
  void upload(std::vector<FieldInput> &fields, std::uint64_t rows, Stream stream = nullptr);

  // Copies a list of `count` rows in host memory and returns the copy; returns `rows` itself if it is in device memory.
  // The copy is valid until the next upload_rows() or release().
  const int *upload_rows(const int *rows, std::uint64_t count, Stream stream = nullptr);

  // Gives the device memory back to the pool (gpz/cuda_memory.hpp). The next call allocates again.
  void release();
  MemoryUse memory() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

// Copies a chunk to pinned host memory. Two objects used in turn let one chunk be written while the next one is
// encoded.
class GPZ_API HostCopy {
 public:
  explicit HostCopy(int device = 0);
  // Waits for the copy.
  ~HostCopy();
  HostCopy(HostCopy &&) noexcept;
  HostCopy &operator=(HostCopy &&) noexcept;

  // Allocates pinned host memory for chunks of up to `bytes` bytes, with some reserve; without this call start() does.
  // The memory is kept until the object is destroyed. The earlier view() becomes invalid. After out_of_memory the
  // object holds no memory, and can be used for smaller chunks.
  void reserve(std::size_t bytes);
  std::size_t capacity() const;

  // Waits for the previous copy, then queues the copy of `chunk`, which Codec::encode returned, on the object's own
  // stream, and returns. The chunk has to stay valid until wait() has returned. The earlier view() becomes invalid.
  // Throws not_found for a chunk without data.
  void start(const DeviceChunk &chunk);

  // Returns when the copy is complete; at once if none was started. Several threads may wait at the same time, but not
  // while another thread calls start() or reserve().
  void wait() const;

  // The chunk in host memory. Call it after wait(); it is valid until the next start() or reserve(). Its checksum is 0:
  // set it to chunk_checksum(data, size) before passing the view to a Writer.
  ChunkView view() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

// Copies rows of fields from device memory to pinned host memory, for encoders of the CPU (gpz::TrajectoryEncoder,
// which has efforts standard and dense). A kernel packs the rows, so that only these are transferred. One host thread
// at a time may use an object.
class GPZ_API Download {
 public:
  explicit Download(int device = 0);
  ~Download();
  Download(Download &&) noexcept;
  Download &operator=(Download &&) noexcept;

  int device() const;

  // Allocates pinned host memory for `count` rows of these fields, with some reserve; without this call download()
  // does. The memory is kept until the object is destroyed. Copies become invalid. After out_of_memory the object holds
  // no pinned memory, and can be used for fewer rows.
  void reserve(const std::vector<FieldInput> &fields, std::uint64_t count);
  // Size of the pinned host memory, bytes.
  std::size_t capacity() const;

  // Copies rows[0 .. count) of every component, or the first `count` rows if `rows` is null, and makes `fields` point
  // to the copies: row i of a copy is rows[i]. Components and `rows` are in memory that the device can read, elements
  // aligned to their size. Rows are not checked. Their components are side by side, those of 8 bytes first.
  //
  // Work in `stream` before the call is waited for, and the call returns when the copies are complete. They are valid
  // until the next download() or reserve(). Throws Error as Codec does; after an error `fields` are unchanged. Device
  // memory: 64 MiB, allocated by the first call.
  void download(std::vector<FieldInput> &fields, std::uint64_t count, const int *rows = nullptr,
                Stream stream = nullptr);

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

// Copies rows of fields to device memory of its own, for encoders that run while the caller's arrays change
// (gpz::cuda::StandardCodec). One host thread at a time may use an object.
class GPZ_API DeviceRows {
 public:
  explicit DeviceRows(int device = 0);
  ~DeviceRows();
  DeviceRows(DeviceRows &&) noexcept;
  DeviceRows &operator=(DeviceRows &&) noexcept;

  // As Download::download, except that the copies are in device memory, which is taken from the pool
  // (gpz/cuda_memory.hpp), and valid until the next copy() or release(). After out_of_memory the object holds none.
  void copy(std::vector<FieldInput> &fields, std::uint64_t count, const int *rows = nullptr, Stream stream = nullptr);
  // Gives the device memory back to the pool. The next call allocates again.
  void release();
  MemoryUse memory() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::cuda
