// SPDX-License-Identifier: BSD-3-Clause
// Decodes the chunks of a trajectory on an NVIDIA GPU: what gpz::Reader does with the chunks of one writer, into device
// memory. Built with GPZ_CUDA=ON only.
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
  stored,  // as the chunk has them: the order of gpz::Reader without sorting
  id,      // particle i has the i-th smallest id of the chunk; those of equal ids as stored. Needs a field id
};

// Writes `count` bytes of a chunk, from `offset` on and within it, to `to`. May throw.
using ReadBytes = std::function<void(std::size_t offset, void *to, std::size_t count)>;

// Decodes the chunks that have one index in frames that follow each other (docs/format.md, section 8). An independent
// chunk begins a history, which a difference chunk goes on with. One host thread at a time may use an object; objects
// are independent. Every call makes its device the current one and restores the caller's before it returns. Streams are
// streams of that device; nullptr is its default stream. Calls with different streams run one after the other.
//
// `fields` are all fields of the frame, in the order of its head, with type, components, bound, step and leading flag
// as there. Element i of a component is particle i, at data + i * stride bytes in device memory; data nullptr: it is
// not written. Integers go into int64, or the low bits into int32; floats go into float64 or float32. Arrays may change
// from call to call.
//
// Device memory, in bytes for each particle: 16 for each value of a float field with a bound, 8 for each other value,
// 4 or 8 for one more component in each field. In the order of ids, 52 more, and 8 for each float of a chunk while it
// is decoded without history. All of it is allocated with an eighth to spare, and again only when a frame needs more
// than any earlier one. No more is asked for than for the particles that the caller has arrays for, and the chunk is
// long enough to have.
//
// All calls that decode throw Error; the next chunk has to be independent then:
//   corrupt           the bytes contradict the format
//   not_found         a difference chunk without the chunk before it (its number of particles is checked, nothing
//                     else: the frame's head has the checksum of the frame before), or values of a field that is not
//                     followed
//   unsupported       only the CPU decodes the chunk (gpz::Reader): cell chunks, sequence chunks with other fields
//                     than positions and differences from sequence chunks, modelled or classed sections, blocks of
//                     other than 1,024 particles; in difference chunks, grid indices of 2^30 or more, and edges of the
//                     box below -2^29 or above 2^29 grid steps
//   invalid_argument, out_of_memory, limit_exceeded, internal   as Codec; the order of ids without a field id
class GPZ_API TrajectoryDecoder {
 public:
  // Takes a few hundred bytes of pinned host memory and no device memory. Throws not_found if there is no such device.
  explicit TrajectoryDecoder(int device = 0);
  ~TrajectoryDecoder();
  TrajectoryDecoder(TrajectoryDecoder &&) noexcept;
  TrajectoryDecoder &operator=(TrajectoryDecoder &&) noexcept;

  int device() const;
  // Particles of the last chunk.
  std::uint64_t particles() const;

  // From the next independent chunk on, only fields whose entry is true are decoded in difference chunks, in addition
  // to field 0 and the ids; others cannot be asked for there. An empty `fields` follows all, as at the beginning.
  void follow(const std::vector<bool> &fields);
  // Chunks that need other features (gpz::feature) than these are corrupt, as in files whose header does not name them.
  // At the beginning all are allowed.
  void allow(std::uint32_t features);

  // Decodes the next chunk, `size` bytes of device memory, aligned to 8. Returns when it is done. The outputs are
  // unspecified after an exception, and nothing else was written.
  void decode(const void *chunk, std::size_t size, std::uint64_t particles, const std::vector<FieldOutput> &fields,
              OutputOrder order = OutputOrder::stored, Stream stream = nullptr);
  // As decode, of a chunk in host memory, which need not be aligned. Its checksum is not checked. Pinned memory is
  // copied without staging.
  void decode_from_host(const void *chunk, std::size_t size, std::uint64_t particles,
                        const std::vector<FieldOutput> &fields, OutputOrder order = OutputOrder::stored,
                        Stream stream = nullptr);

  // For callers that keep frames in flight: as decode, but returns before the device is done. The same bytes are in
  // host memory, where the heads are read; `host` is not read after the call. `chunk` and the outputs have to stay
  // until the stream has finished the call. Waits where memory has to grow, and in the order of ids where ids change.
  // Throws what can be seen in the heads; damage elsewhere is reported by check() and finish().
  void queue(const void *chunk, const void *host, std::size_t size, std::uint64_t particles,
             const std::vector<FieldOutput> &fields, OutputOrder order = OutputOrder::stored, Stream stream = nullptr);
  // The heads come from `read`, which is not called after the call: a few times, for some kilobytes.
  void queue(const void *chunk, const ReadBytes &read, std::size_t size, std::uint64_t particles,
             const std::vector<FieldOutput> &fields, OutputOrder order = OutputOrder::stored, Stream stream = nullptr);
  // Throws corrupt or unsupported if the device has found damage so far in a queued chunk. Does not wait: for all that
  // was queued before something that the caller has waited for, the answer is known.
  void check();
  // Waits for all queued chunks, then check().
  void finish();

  // The next chunk has to be independent.
  void forget();
  // Frees the device memory, after what is queued is done; the next chunk has to be independent.
  void release();
  MemoryUse memory() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::cuda
