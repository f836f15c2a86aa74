// SPDX-License-Identifier: BSD-3-Clause
// Encodes the chunks of a trajectory. Particles with ids are stored as differences from earlier frames (docs/format.md,
// sections 8 to 10; docs/decisions/0010 to 0014).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/export.h"
#include "gpz/frame.hpp"

namespace gpz {

namespace trajectory {
struct EncoderAccess;
}

// The default key interval: the number of frames from one key frame to the next. A longer interval makes files smaller,
// because key frames are larger than difference frames. A shorter one makes random access faster, because a frame is
// decoded from its key frame on. Measurements: docs/results/trajectories.md.
constexpr unsigned default_key_interval = 100;
constexpr unsigned max_key_interval = 65535;

// The order of particles in independent chunks: all chunks of key frames, and some of difference frames.
enum class Order : std::uint8_t {
  // Sorted by position within each block. Faster to encode than `id`, and possible on a GPU.
  place,
  // Sorted by id if that is smaller, otherwise as `place`. Ids then take fewer bits, and so do positions if neighbours
  // have consecutive ids, as in crystals and molecules. Encoding takes several times as long. Difference frames are
  // also predicted from the particles in the preceding slots, if that is smaller: 1.1 bits per atom less for molecules,
  // 0.3 for crystals, at two thirds of the speed.
  id,
  // In the caller's order if that is smaller, with each position predicted from the one before; otherwise as `place`.
  // For particles along scan lines, in the order of an initial grid, or of rows of a lattice. Needs the feature
  // gpz::feature::sequence_chunks. Integers and lossless fields keep that order too. Possible on a GPU
  // (gpz/cuda_sequence.hpp).
  memory,
  // As `id` if there are ids: the smallest order that keeps identities. On GPUs as `place`, which they encode faster.
  automatic,
};

// Order that encoders and programs use by default.
constexpr Order default_order = Order::automatic;

// How much processor time an encoder spends to make files smaller. Decoded values do not depend on it.
enum class Effort : std::uint8_t {
  fast,      // no required features: block chunks, the order of ids, residuals
  standard,  // also, with ids in order, molecules that are found and predicted, and a better code for residuals
  dense,     // everything that makes files smaller
};

// Effort that encoders and programs use by default.
constexpr Effort default_effort = Effort::standard;

// The required features (gpz::feature) of all codings of this effort, for the header of a file. `ids`: some frames have
// ids (has_identity).
GPZ_API std::uint32_t features_of(Effort effort, Order order, bool ids);
// The largest effort whose features are among `features`.
GPZ_API Effort effort_within(std::uint32_t features);

// Whether difference frames are possible: one of the fields is an integer column `id`.
GPZ_API bool has_identity(const std::vector<Field> &fields);

// Decides which frames of a file are key frames: the first one, then every `interval`th frame. Every frame without ids
// is a key frame, and so is the frame that follows it.
class GPZ_API KeySchedule {
 public:
  // `interval`: 1 (key frames only) to max_key_interval. Throws invalid_argument otherwise.
  explicit KeySchedule(unsigned interval = default_key_interval) { set_interval(interval); }
  // The next frame is a key frame.
  void set_interval(unsigned interval);

  // FrameInfo::since_key for the next frame, which has these fields; 0: a key frame.
  std::uint16_t next(const std::vector<Field> &fields) const;
  // Call it when `frame`, with since_key as next() returned it, is in the file.
  void written(const FrameInfo &frame);
  // Makes the next frame a key frame. Call it at the start of a file, for a new encoder, or after a frame was lost to
  // an error.
  void restart() { next_ = 0; }

 private:
  unsigned interval_ = default_key_interval;
  unsigned next_ = 0;
};

// Encodes the chunks of one writer (an MPI rank), frame after frame. From frame to frame particles may arrive, leave
// and change their rows. Host memory kept between frames: 20 bytes per value of a float field with a bound, 8 per other
// value, and 90 to 110 per particle (identity, and the values of one field). One thread at a time may use an object.
class GPZ_API TrajectoryEncoder {
 public:
  // `threads` as in ChunkEncoder: large frames are encoded on several threads.
  explicit TrajectoryEncoder(int threads = 1);
  // Sets the number of threads for the next frames.
  void set_threads(int threads);
  ~TrajectoryEncoder();
  TrajectoryEncoder(TrajectoryEncoder &&) noexcept;
  TrajectoryEncoder &operator=(TrajectoryEncoder &&) noexcept;

  // Takes effect at the next chunk. Initially default_order.
  void set_order(Order order);
  // Takes effect at the next chunk. Initially default_effort. Codings that need a required feature are used only if
  // `features`, the features of the file, contain it.
  void set_effort(Effort effort, std::uint32_t features = feature::known);

  // Encodes the next frame's chunk. An object encodes chunks of one index in their frames. With `key` the chunk is
  // independent, as a key frame needs (FrameInfo::since_key = 0). Otherwise it is a difference chunk if that is
  // possible and smaller. Positions are followed through the periodic edges of `box`. Other arguments and errors are
  // those of ChunkEncoder::encode. After an exception, the next chunk is independent.
  void encode(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows, const Box &box, bool key,
              EncodedChunk &out);

  // Host memory kept between frames, bytes.
  std::size_t memory_usage() const;

 private:
  friend struct trajectory::EncoderAccess;
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

// How frames of a file are encoded.
struct Encoding {
  Order order = default_order;
  Effort effort = default_effort;
  std::uint32_t features = feature::known;  // of the file
};

// Encodes the frames of a file with a TrajectoryEncoder, frame after frame. Frames of other key intervals do not change
// the bytes: several objects may encode an interval each at the same time. Knows no file.
class GPZ_API IntervalEncoder {
 public:
  explicit IntervalEncoder(int threads = 1) : encoder_(threads) {}
  void set_threads(int threads) { encoder_.set_threads(threads); }

  // Encodes frame.particles particles of a frame in the box frame.box, which begins a key interval if frame.since_key
  // is 0. The largest errors of `out` are those of the frame in the file: they include the errors that the values have
  // already (Field::largest_error). Other arguments and errors are those of TrajectoryEncoder::encode.
  void encode(const FrameInfo &frame, const std::vector<FieldInput> &fields, const int *rows, const Encoding &encoding,
              EncodedChunk &out);

  std::size_t memory_usage() const { return encoder_.memory_usage(); }

 private:
  TrajectoryEncoder encoder_;
};

}  // namespace gpz
