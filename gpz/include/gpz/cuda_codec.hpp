// A codec for one NVIDIA GPU that owns its device memory: gpz/cuda.hpp without the bookkeeping. Built with GPZ_CUDA=ON
// only.
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

// A chunk in memory of the codec.
struct DeviceChunk {
  const void *data = nullptr;  // device memory, aligned to 8
  std::size_t size = 0;        // bytes
  std::uint64_t particles = 0;
  std::vector<double> largest_error;  // per field, units of the field
  ChunkKind kind = ChunkKind::block;  // Codec makes and decodes no other
};

struct MemoryUse {
  std::size_t device_bytes = 0;   // held now
  std::uint64_t allocations = 0;  // of device memory since the object was made
};

// Bound to one device. One object serves one host thread at a time; objects are independent, on one device or several.
// Every call makes its device the current one and restores the caller's; streams are of that device, nullptr being its
// default stream. Calls are ordered behind the work that is in the stream already, and return when theirs is done.
//
// Device memory grows when a frame needs more than any before, with some room to spare; no other call allocates. All
// throw Error:
//   invalid_argument  as ChunkEncoder::encode; arrays that this device cannot reach (host memory, another device), or
//                     whose elements are not aligned to their size
//   out_of_memory     the codec has given its device memory back (but for the chunk, if decode(chunk, size, ...)
//                     failed) and can be used again, for a smaller frame
//   limit_exceeded    more than max_fields fields, more than 2^40 particles
//   internal          another error of CUDA; if the device was given something it could not read, it is lost to the
//                     process
class GPZ_API Codec {
 public:
  // Takes a few hundred bytes of pinned host memory and no device memory. Throws not_found if there is no such device.
  explicit Codec(int device = 0);
  ~Codec();
  Codec(Codec &&) noexcept;
  Codec &operator=(Codec &&) noexcept;

  int device() const;

  // Encodes a chunk: the same bytes as ChunkEncoder::encode makes of the same values. Arrays and `rows` (nullptr: all
  // particles in order) are in device memory. The chunk is valid until the next call that encodes, decodes from host
  // memory, or releases.
  const DeviceChunk &encode(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows,
                            Stream stream = nullptr);
  // The same, and copies the bytes to the host, as gpz::Writer takes them.
  void encode(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows, EncodedChunk &out,
              Stream stream = nullptr);

  // The chunk of the last encode(), if it is valid; otherwise data is nullptr.
  const DeviceChunk &chunk() const;
  // Copies its bytes to host memory. Throws not_found if it is not valid, limit_exceeded if it has more than `capacity`
  // bytes.
  void copy_chunk(void *host, std::size_t capacity) const;

  // Decodes a chunk in device memory (aligned to 8), for example what encode() returned. Fields with a bound may leave
  // their step 0, which stands for grid_step(bound). Also throws corrupt: the bytes contradict the format; and
  // unsupported: chunk_unsupported (gpz/cuda.hpp). The outputs are unspecified then, and nothing else was written.
  void decode(const void *chunk, std::size_t size, std::uint64_t particles, const std::vector<FieldOutput> &fields,
              Stream stream = nullptr, BlockRange range = {});
  // The same from host memory, which need not be aligned. Checksums are the container's: they are not looked at.
  void decode_from_host(const void *chunk, std::size_t size, std::uint64_t particles,
                        const std::vector<FieldOutput> &fields, Stream stream = nullptr, BlockRange range = {});

  // Gives the device memory back; the next call allocates again.
  void release();
  MemoryUse memory() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::cuda
