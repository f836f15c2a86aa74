// SPDX-License-Identifier: BSD-3-Clause
// gpz::TrajectoryEncoder on an NVIDIA GPU: encodes the chunks of a trajectory, from device memory to device memory.
// Built with GPZ_CUDA=ON only.
//
//   gpz::cuda::TrajectoryCodec codec(device);
//   const gpz::cuda::DeviceChunk &chunk = codec.encode(fields, particles, nullptr, box, frame % interval == 0, stream);
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/cuda_codec.hpp"
#include "gpz/export.h"

namespace gpz::cuda {

// Encodes the chunks of one writer (an MPI rank), frame after frame. From frame to frame particles may arrive, leave
// and change their rows. One host thread at a time may use an object. Every call makes its device the current one and
// restores the caller's before it returns.
//
// Device memory, from the first difference frame on, in addition to that of a Codec for the same particles. Kept
// between frames, in bytes per particle: 16 per value of a float field with a bound, 4 per integer, 8 per lossless
// float, 8 for the id, 4 or 8 for one more component in each field, 21 for identity, and, if all rows are encoded, the
// size of the caller's arrays of integers and ids. During a call, per particle: 17 per value except the id, and as much
// again for the field with the most components, at least 25. Allocations have a reserve of one eighth, and are repeated
// only when a frame needs more than any earlier one. If memory runs out, all chunks are independent until the next key
// frame.
//
// A frame is fastest if its ids equal those of the last frame, row by row: a program that does not sort its particles
// keeps them so. It is fast while particles are near the rows that they had in the key frame.
class GPZ_API TrajectoryCodec {
 public:
  // Allocates a few hundred bytes of pinned host memory and no device memory. The first object for a device also loads
  // the kernels, so that no frame waits for them. Throws not_found if there is no such device.
  explicit TrajectoryCodec(int device = 0);
  ~TrajectoryCodec();
  TrajectoryCodec(TrajectoryCodec &&) noexcept;
  TrajectoryCodec &operator=(TrajectoryCodec &&) noexcept;

  int device() const;

  // Encodes the next frame's chunk. `key` and `box` are as in TrajectoryEncoder::encode. The bytes equal those of
  // TrajectoryEncoder with Order::place for the same values in the same order, except where the GPU makes an
  // independent chunk instead of a difference chunk. It does so for grid indices and integers of 2^30 or more; for
  // edges of the box below -2^29 or above 2^29 grid steps; for exact values in a float field with a bound (NaN,
  // infinities, too large, at the edge of rounding); for int32 and int64 components in one field; and if there is too
  // little device memory. Two more cases give other bytes, which decode to the same values: particles with equal ids,
  // and particles whose ids collide with hundreds of others in the hash table, may be matched differently, or be stored
  // as leaving and arriving.
  //
  // Arrays and `rows` (nullptr: all particles in order) are in device memory. The call runs after the work that is
  // already in the stream, and returns when it is complete. The chunk is valid until the next encode() or release().
  // Throws as Codec::encode. After an exception, the next chunk is independent.
  const DeviceChunk &encode(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows,
                            const Box &box, bool key, Stream stream = nullptr);

  // Gives the device memory back to the pool (gpz/cuda_memory.hpp). The next chunk is independent.
  void release();
  MemoryUse memory() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::cuda
