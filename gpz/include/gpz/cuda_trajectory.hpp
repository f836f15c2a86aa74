// Chunks of a trajectory on an NVIDIA GPU: the counterpart of gpz::TrajectoryEncoder, from device memory to device
// memory. Built with GPZ_CUDA=ON only.
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

// Encodes the chunks of one writer (an MPI rank), frame after frame; the frames may have other particles in another
// order. One object serves one host thread at a time. Every call makes its device the current one and restores the
// caller's.
//
// Device memory, beside that of a Codec for the same particles, from the first frame that is not a key frame on. Kept
// between frames, for each particle: 16 bytes a value of a float field with a bound, 4 an integer, 8 a lossless float,
// 8 an id, one more component of 4 or 8 in each field, and 19 for who is who. While a frame is encoded: 17 bytes a
// value, and as much again for the field with the most components, at least 33. All with an eighth to spare; it grows
// when a frame needs more than any before. If there is not enough, chunks stand alone until the next key frame.
class GPZ_API TrajectoryCodec {
 public:
  // Takes a few hundred bytes of pinned host memory and no device memory. Throws not_found if there is no such device.
  explicit TrajectoryCodec(int device = 0);
  ~TrajectoryCodec();
  TrajectoryCodec(TrajectoryCodec &&) noexcept;
  TrajectoryCodec &operator=(TrajectoryCodec &&) noexcept;

  int device() const;

  // The next frame's chunk: the same bytes as TrajectoryEncoder::encode makes of the same values in the same order
  // (with Order::place), with the meaning that `key` and `box` have there. Only where that makes differences of
  // them, the following make a chunk that stands alone: grid indices, integers or edges of the box of 2^30 grid units
  // or more (edges below -2^29 or above 2^29), values of a float field with a bound that the grid cannot hold (NaN,
  // infinities, too large, at the edge of rounding), int32 and int64 components in one field, too little device memory;
  // and particles whose ids are not unique may be taken for each other. (Ids so regular that a hash puts hundreds of
  // them side by side may leave and arrive instead.)
  //
  // Arrays and `rows` (nullptr: all particles in order) are in device memory. The call is ordered behind the work that
  // is in the stream, and returns when its own is done; the chunk is valid until the next encode() or release(). Throws
  // as Codec::encode; after an exception, the next chunk stands alone.
  const DeviceChunk &encode(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows,
                            const Box &box, bool key, Stream stream = nullptr);

  // Gives the device memory back; the next chunk stands alone.
  void release();
  MemoryUse memory() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::cuda
