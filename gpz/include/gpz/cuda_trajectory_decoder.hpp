// SPDX-License-Identifier: BSD-3-Clause
// Decodes the chunks of one writer on an NVIDIA GPU, as gpz::Reader does, into device memory. Built with GPZ_CUDA=ON
// only.
//
//   gpz::cuda::TrajectoryDecoder decoder(device);
//   decoder.decode(chunk, size, particles, fields, gpz::cuda::OutputOrder::id, stream);  // frame after frame
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gpz/cuda_codec.hpp"
#include "gpz/export.h"

namespace gpz::cuda {

enum class OutputOrder : std::uint8_t {
  stored,  // in the order of the chunk, as gpz::Reader without sorting
  id,      // in ascending order of ids, equal ids in stored order; needs a field id
};

// Writes the `count` bytes from `offset` on of a chunk to `to`. May throw.
using ReadBytes = std::function<void(std::size_t offset, void *to, std::size_t count)>;

// Decodes the chunks that have the same index in consecutive frames (docs/format.md, section 8). An independent chunk
// starts a history, which difference chunks continue. One host thread at a time may use an object; objects are
// independent. Every call makes its device the current one and restores the caller's before it returns. Streams are
// streams of that device; nullptr is its default stream. Calls with different streams run one after the other.
//
// `fields` are all fields of the frame, in the order of its head, with type, components, bound, step and leading flag
// as there. Element i of a component is particle i, at data + i * stride bytes in device memory; data nullptr: it is
// not written. Integers go into int64, or the low bits into int32; floats go into float64 or float32. Arrays may change
// from call to call.
//
// Device memory, in bytes per particle: 16 per value of a float field with a bound, 8 per other value, 4 or 8 for one
// more component in each field. Steps (coding 13) take 75 more for molecules, and 83 for particles without bonds. In
// the order of ids, 52 more, and 8 per float of a chunk while it is decoded without history. Allocations have a reserve
// of one eighth, and are repeated only when a frame needs more than any earlier one. They never exceed the needs of the
// caller's number of particles, nor of the number that the chunk's length allows.
//
// All calls that decode throw Error; the next chunk has to be independent then:
//   corrupt           the bytes contradict the format
//   not_found         a difference chunk without the chunk before it (its number of particles is checked, nothing
//                     else: the frame's head has the checksum of the frame before), or values of a field that is not
//                     followed
//   unsupported       only the CPU decodes the chunk (gpz::Reader): cell chunks, sequence chunks with other fields
//                     than positions and differences from sequence chunks, blocks of other than 1,024
//                     particles; in difference chunks, modelled or classed sections, grid
//                     indices of 2^30 or more, and edges of the box below -2^29 or above 2^29 grid steps
//   invalid_argument, out_of_memory, limit_exceeded, internal   as Codec; the order of ids without a field id
class GPZ_API TrajectoryDecoder {
 public:
  // Allocates a few hundred bytes of pinned host memory and no device memory. Throws not_found if there is no such
  // device.
  explicit TrajectoryDecoder(int device = 0);
  ~TrajectoryDecoder();
  TrajectoryDecoder(TrajectoryDecoder &&) noexcept;
  TrajectoryDecoder &operator=(TrajectoryDecoder &&) noexcept;

  int device() const;
  // Particles of the last chunk.
  std::uint64_t particles() const;

  // Takes effect at the next independent chunk: difference chunks then decode only field 0, the ids and the fields
  // whose entry is true; others cannot be requested. An empty `fields` follows all fields, the initial state.
  void follow(const std::vector<bool> &fields);
  // Chunks that need features (gpz::feature) outside `features` are corrupt, as in files whose header does not name
  // them. Initially all features are allowed.
  void allow(std::uint32_t features);
  // Threads of the host for sections of independent chunks that have no kernels; at least 1, which is the initial
  // state.
  void use_threads(int threads);

  // Decodes the next chunk, `size` bytes of device memory, aligned to 8. Returns when it is done. The outputs are
  // unspecified after an exception, and nothing else was written.
  void decode(const void *chunk, std::size_t size, std::uint64_t particles, const std::vector<FieldOutput> &fields,
              OutputOrder order = OutputOrder::stored, Stream stream = nullptr);
  // As decode, for a chunk in host memory, which need not be aligned. Its checksum is not checked. Pinned memory is
  // copied without staging.
  void decode_from_host(const void *chunk, std::size_t size, std::uint64_t particles,
                        const std::vector<FieldOutput> &fields, OutputOrder order = OutputOrder::stored,
                        Stream stream = nullptr);

  // For callers that keep frames in flight: as decode, but returns before the device is done. `host` holds the same
  // bytes in host memory: the heads are read from it, during the call only. `chunk` and the outputs must stay valid
  // until the stream has finished the call. Waits if memory has to grow, and, in the order of ids, if ids change.
  // Throws for damage in the heads; check() and finish() report damage elsewhere.
  void queue(const void *chunk, const void *host, std::size_t size, std::uint64_t particles,
             const std::vector<FieldOutput> &fields, OutputOrder order = OutputOrder::stored, Stream stream = nullptr);
  // Gets the heads from `read`, which is called a few times for some kilobytes, during the call only.
  void queue(const void *chunk, const ReadBytes &read, std::size_t size, std::uint64_t particles,
             const std::vector<FieldOutput> &fields, OutputOrder order = OutputOrder::stored, Stream stream = nullptr);
  // Throws corrupt or unsupported if the device has found damage in a queued chunk so far. Does not wait. The result
  // covers every chunk queued before work that the caller has waited for.
  void check();
  // Waits for all queued chunks, then check().
  void finish();

  // The next chunk has to be independent.
  void forget();
  // Gives the device memory back to the pool (gpz/cuda_memory.hpp) after queued work is complete. The next chunk has to
  // be independent.
  void release();
  MemoryUse memory() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::cuda
