// SPDX-License-Identifier: BSD-3-Clause
// Chunks of ChunkKind::sequence on one NVIDIA GPU: positions in the order of memory (docs/format.md, section 10f).
// Built with GPZ_CUDA=ON only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpz/cuda_codec.hpp"
#include "gpz/export.h"

namespace gpz::cuda {

// Devices, host threads, streams, memory and errors: as in Codec.
class GPZ_API SequenceCodec {
 public:
  explicit SequenceCodec(int device = 0);
  ~SequenceCodec();
  SequenceCodec(SequenceCodec &&) noexcept;
  SequenceCodec &operator=(SequenceCodec &&) noexcept;

  // Encodes a chunk of `particles` > 0 particles with one field of floats with a bound. The arrays are in device
  // memory. The bytes are those of TrajectoryEncoder with Order::memory, if TrajectoryEncoder writes a chunk of
  // ChunkKind::sequence; it writes a block chunk if that is smaller, which this class does not check. Returns nullptr
  // if there is no such chunk (2^31 particles or more, more than 256 consecutive exact values, too large a distance
  // between consecutive particles, too little shared memory on the device): use Codec instead. The chunk is valid until
  // the next call that encodes or releases.
  const DeviceChunk *encode(const FieldInput &field, std::uint64_t particles, Stream stream = nullptr);

  // Decodes a chunk in device memory (aligned to 8 bytes) with one field. Throws corrupt if the bytes contradict the
  // format; unsupported if the chunk has another kind, its field has another coding, or the device has too little
  // shared memory: decode it on the CPU. After either, the outputs are unspecified, and nothing else was written.
  void decode(const void *chunk, std::size_t size, std::uint64_t particles, const FieldOutput &field,
              Stream stream = nullptr);

  // Gives the device memory back to the pool (gpz/cuda_memory.hpp). The next call allocates again.
  void release();
  MemoryUse memory() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::cuda
