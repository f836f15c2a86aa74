// SPDX-License-Identifier: BSD-3-Clause
// Compresses an array of frames in memory, without a file: frames x particles x components, for chunks of HDF5 and
// Zarr, messages and databases. The rows of the array are the particles: their order is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/container.hpp"
#include "gpz/export.h"
#include "gpz/frame.hpp"
#include "gpz/limits.hpp"
#include "gpz/trajectory.hpp"

namespace gpz {
// Bit of the required features (gpz::feature) of bytes that are a frame array, and no file: Reader refuses them.
constexpr std::uint32_t frame_array_feature = 1u << 4;

// Values in C order: value d of particle i in frame t is element (t * particles + i) * components + d.
struct FrameArrayShape {
  ValueType type = ValueType::float32;  // float32 or float64
  std::uint64_t frames = 0;
  std::uint64_t particles = 0;
  unsigned components = 3;  // 1 to 3

  // Bytes of the array. Throws limit_exceeded if this machine cannot address them.
  GPZ_API std::size_t bytes() const;
};

inline bool operator==(const FrameArrayShape &a, const FrameArrayShape &b) {
  return a.type == b.type && a.frames == b.frames && a.particles == b.particles && a.components == b.components;
}
inline bool operator!=(const FrameArrayShape &a, const FrameArrayShape &b) { return !(a == b); }

struct FrameArrayOptions {
  // Absolute error bound of every value, in the units of the values; 0: lossless.
  double bound = 0;
  Effort effort = default_effort;
  // Frames from one key frame to the next, 1 to max_key_interval: decompress_frames decodes a frame from its key frame
  // on. In between, frames are stored as differences where that is smaller.
  unsigned key_interval = default_key_interval;
  // The periodic boxes: of each frame, one for all frames, or none. Without a box, periodic edges are recognised by the
  // jumps of particles; in one frame of water that costs 0.4 bits an atom, and 1.8 with effort fast
  // (docs/results/hdf5.md). Boxes only help the prediction; they are not stored as values.
  std::vector<Box> boxes;
  int threads = 1;  // 1: the caller's thread, 0: all cores; the bytes do not depend on it
};

// Compresses `values`, an array of shape.bytes() bytes. Decoded finite values are within the bound; NaN, infinities and
// values that the grid cannot hold keep their bits. Throws invalid_argument (bound, key interval, type, components,
// the number of boxes), out_of_memory.
GPZ_API Bytes compress_frames(const void *values, const FrameArrayShape &shape, const FrameArrayOptions &options = {});

// The arguments of compress_frames, from its result. Throws not_gpz, corrupt, truncated, unsupported_version,
// limit_exceeded.
struct FrameArrayInfo {
  FrameArrayShape shape;
  double bound = 0;  // the largest of all frames; 0: lossless
};
GPZ_API FrameArrayInfo frame_array_info(const void *bytes, std::size_t size, const Limits &limits = {});

struct FrameArrayReadOptions {
  int threads = 1;  // 1: the caller's thread, 0: all cores; values do not depend on it
  Limits limits;
};

// Decompresses frames first, ..., first + count - 1 into `values`, an array of `capacity` bytes, in the type of the
// array that was compressed. Throws as frame_array_info, not_found (no such frames), limit_exceeded (more values than
// `capacity`). After an exception the contents of `values` are unspecified.
GPZ_API void decompress_frames(const void *bytes, std::size_t size, std::uint64_t first, std::uint64_t count,
                               void *values, std::size_t capacity, const FrameArrayReadOptions &options = {});

}  // namespace gpz
