// SPDX-License-Identifier: BSD-3-Clause
// The codec of gpz/cuda.hpp for one NVIDIA GPU, with device memory of its own. Built with GPZ_CUDA=ON only.
//
//   gpz::cuda::Codec codec(device);
//   gpz::EncodedChunk chunk;
//   codec.encode(fields, particles, nullptr, chunk, stream);  // arrays in device memory
//   writer.write(info, {chunk});
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/cuda.hpp"
#include "gpz/export.h"

namespace gpz::cuda {

// A chunk in device memory that belongs to the codec.
struct DeviceChunk {
  const void *data = nullptr;  // device memory, aligned to 8
  std::size_t size = 0;        // bytes
  std::uint64_t particles = 0;
  std::vector<double> largest_error;  // per field, units of the field
  ChunkKind kind = ChunkKind::block;  // always, for chunks of Codec
};

struct MemoryUse {
  std::size_t device_bytes = 0;   // bytes of device memory that are allocated
  std::uint64_t allocations = 0;  // of device memory, since construction
};

// A codec belongs to one device. One host thread at a time may use an object; objects are independent, also on one
// device. Every call makes its device the current one and restores the caller's before it returns. Streams are streams
// of that device; nullptr is its default stream. A call runs after the work that is already in the stream, and returns
// when it is complete.
//
// Device memory is allocated, with some reserve, only when a frame needs more than any earlier one. All calls throw
// Error:
//   invalid_argument  as ChunkEncoder::encode; arrays that this device cannot reach (host memory, another device), or
//                     whose elements are not aligned to their size
//   out_of_memory     the codec has given its device memory back, except chunk() if decode() failed; it can be used
//                     again, for a smaller frame
//   limit_exceeded    more than max_fields fields, more than 2^40 particles
//   internal          another error of CUDA; after an invalid address, the process cannot use the device any more
class GPZ_API Codec {
 public:
  // Allocates a few hundred bytes of pinned host memory and no device memory. Throws not_found if there is no such
  // device.
  explicit Codec(int device = 0);
  ~Codec();
  Codec(Codec &&) noexcept;
  Codec &operator=(Codec &&) noexcept;

  int device() const;

  // Encodes a chunk, with the same bytes as ChunkEncoder::encode for the same values. Arrays and `rows` (nullptr: all
  // particles in order) are in device memory. The chunk is valid until the next call that encodes, decodes from host
  // memory, or releases.
  const DeviceChunk &encode(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows,
                            Stream stream = nullptr);
  // Encodes a chunk and copies its bytes to host memory, for gpz::Writer.
  void encode(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows, EncodedChunk &out,
              Stream stream = nullptr);

  // The chunk of the last encode(); data is nullptr if it is no longer valid.
  const DeviceChunk &chunk() const;
  // Copies the chunk's bytes to host memory. Throws not_found if there is no valid chunk, limit_exceeded if it has more
  // than `capacity` bytes.
  void copy_chunk(void *host, std::size_t capacity) const;

  // Decodes a chunk in device memory (aligned to 8 bytes), for example what encode() returned. A step of 0 in a field
  // with a bound means grid_step(bound, type). Also throws corrupt if the bytes contradict the format, and unsupported
  // in the cases of chunk_unsupported (gpz/cuda.hpp). After either, the outputs are unspecified, and nothing else was
  // written.
  void decode(const void *chunk, std::size_t size, std::uint64_t particles, const std::vector<FieldOutput> &fields,
              Stream stream = nullptr, BlockRange range = {});
  // Decodes a chunk in host memory, which need not be aligned. No checksum is verified: checksums are stored in the
  // file, not in the chunk.
  void decode_from_host(const void *chunk, std::size_t size, std::uint64_t particles,
                        const std::vector<FieldOutput> &fields, Stream stream = nullptr, BlockRange range = {});

  // Gives the device memory back to the pool (gpz/cuda_memory.hpp). The next call allocates again.
  void release();
  MemoryUse memory() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::cuda
