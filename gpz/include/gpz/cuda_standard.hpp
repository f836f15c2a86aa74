// SPDX-License-Identifier: BSD-3-Clause
// gpz::TrajectoryEncoder with effort standard and the order of ids, where an NVIDIA GPU encodes most frames.
// Built with GPZ_CUDA=ON only.
//
//   gpz::cuda::StandardCodec codec(device, threads);
//   const gpz::cuda::DeviceChunk &chunk = codec.encode(fields, particles, nullptr, box, frame % interval == 0, stream);
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/cuda_codec.hpp"
#include "gpz/export.h"

namespace gpz::cuda {

// Encodes the chunks of one writer (an MPI rank), frame after frame, as TrajectoryEncoder does. One host thread at a
// time may use an object.
//
// The GPU encodes frames if
//   - a frame has at least 65,536 particles with ids,
//   - all other fields are integers, and do not change except by edges of the box that particles cross,
//   - the frame has the periodic box of its positions, which is not general triclinic,
//   - positions are less than 2^30 grid steps from the origin, and integers are below 2^30.
// Of particles without bonds it encodes all frames. The CPU encodes 65,536 of the particles in the first frames of each
// key interval, and the GPU takes the codings that are the smallest there.
// Of molecules the CPU encodes the first key frame, and the first difference frames after it, from copies in host
// memory. It tries several codings in these difference frames. When one coding of positions was clearly smaller than
// the others, and smaller than in the key frame, the GPU takes it. The next frame is independent, and the GPU encodes
// it and all other frames, also in later key intervals, as long as the molecules stay as they are. If a later frame
// does not meet these conditions, or has what only a CPU can encode (NaN; molecules of which particles leave or
// arrive), its chunk is independent, and the CPU encodes all frames up to the next key frame.
//
// Device memory, from the first chunk on: the chunk, 64 MiB for copies, which memory() does not count, and copies of
// arrays that are in host memory. From the first frame of the GPU on, in addition, in bytes per particle: that of
// TrajectoryCodec, and for steps 140, or 160 without bonds. It is kept until release(), or until a frame needs an
// independent chunk.
class GPZ_API StandardCodec {
 public:
  // `threads`: of the CPU. Throws not_found if there is no such device.
  explicit StandardCodec(int device = 0, int threads = 1);
  ~StandardCodec();
  StandardCodec(StandardCodec &&) noexcept;
  StandardCodec &operator=(StandardCodec &&) noexcept;

  int device() const;
  // Sets the required features that the file has, as TrajectoryEncoder::set_effort does. Takes effect at the next
  // chunk.
  void set_features(std::uint32_t features);
  // Sets the number of CPU threads. Takes effect at the next chunk.
  void set_threads(int threads);

  // Encodes the next frame's chunk. Arrays are in device memory or in host memory; `rows` (nullptr: all particles in
  // order) are in host memory if an array is. The bytes are those of TrajectoryEncoder with Order::id and
  // Effort::standard, except
  //   - where TrajectoryEncoder chooses another coding than it did for the 65,536 particles,
  //   - where it stores consecutive ids in fewer bytes,
  //   - where it finds other molecules in a later key interval,
  //   - where it encodes particles without bonds in steps after some left or arrived,
  //   - from an independent chunk that is no key frame (the first one of the GPU, or of the CPU after the GPU) up to
  //     the next key frame,
  //   - in frames of the GPU in which a CPU would find other edges of the box than before,
  //   - where TrajectoryCodec makes other bytes of particles with equal ids, or of ids that collide.
  //
  // The call runs after the work that is already in the stream, and returns when it is complete. If all arrays are in
  // host memory, it runs in a stream of the object instead. The chunk is in device memory, and valid until the next
  // encode() or release(). Throws as TrajectoryCodec::encode and TrajectoryEncoder::encode. After an exception, the
  // next chunk is independent.
  const DeviceChunk &encode(const std::vector<FieldInput> &fields, std::uint64_t particles, const int *rows,
                            const Box &box, bool key, Stream stream = nullptr);
  // A stream of the object, which waits for no other one: for arrays in device memory that are complete.
  Stream stream() const;
  // Whether the GPU encoded the last chunk.
  bool encoded_on_device() const;

  // Gives the device memory back to the pool (gpz/cuda_memory.hpp), except that for copies. The next chunk is
  // independent.
  void release();
  MemoryUse memory() const;
  // Host memory of the CPU's encoder and of copies, kept between frames, bytes.
  std::size_t host_memory_usage() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz::cuda
