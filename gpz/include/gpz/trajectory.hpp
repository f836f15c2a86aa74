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

// The key interval of the programs: a key frame comes every so many frames. A longer interval makes files smaller,
// because key frames are larger than difference frames. A shorter one makes random access faster, because a frame is
// decoded from its key frame on. docs/results/trajectories.md has the measurements.
constexpr unsigned default_key_interval = 100;
constexpr unsigned max_key_interval = 65535;

// The order of particles in independent chunks, which are those of key frames and some of difference frames.
enum class Order : std::uint8_t {
  // Sorted by position within each block. Faster to encode than `id`, and possible on a GPU.
  place,
  // Sorted by id where that is smaller, otherwise as `place`. Ids then take fewer bits, and so do positions where
  // neighbours have consecutive ids, as in crystals and molecules. Encoding takes several times as long. Difference
  // frames are also predicted from the particles in the slots before, where that is smaller: 1.1 bits an atom less for
  // molecules, 0.3 for crystals, at two thirds of the speed.
  id,
  // As the caller has them, where that is smaller: each is predicted from the one before. Otherwise as `place`. For
  // particles along scan lines, in the order of an initial grid, or of rows of a lattice. Needs the feature
  // gpz::feature::sequence_chunks, and integers and lossless fields stay in that order. Possible on a GPU
  // (gpz/cuda_sequence.hpp).
  memory,
  // The smallest that keeps identities: as `id` where there are ids. On a GPU, which writes it faster, as `place`.
  automatic,
};

// Order that encoders and programs use by default.
constexpr Order default_order = Order::automatic;

// How much processor time an encoder spends to make files smaller. Decoded values do not depend on it.
enum class Effort : std::uint8_t {
  fast,      // no required features: block chunks, the order of ids, residuals
  standard,  // with ids in order, bonds are found and predicted as well, and residuals have a better code
  dense,     // everything that makes files smaller
};

// Effort that encoders and programs use by default.
constexpr Effort default_effort = Effort::standard;

// The required features (gpz::feature) that the header of a file has to have for all codings of this effort. `ids`:
// some frames have them (has_identity).
GPZ_API std::uint32_t features_of(Effort effort, Order order, bool ids);
// The largest effort that a file with these features has room for.
GPZ_API Effort effort_within(std::uint32_t features);

// Whether difference frames are possible: one of the fields is an integer column `id`.
GPZ_API bool has_identity(const std::vector<Field> &fields);

// Decides which frames of a file are key frames: the first one, then one of every `interval` frames. Every frame
// without ids is a key frame, and so is the one that follows it.
class GPZ_API KeySchedule {
 public:
  // `interval`: 1 (key frames only) to max_key_interval. Throws invalid_argument otherwise.
  explicit KeySchedule(unsigned interval = default_key_interval) { set_interval(interval); }
  // The next frame is a key frame.
  void set_interval(unsigned interval);

  // FrameInfo::since_key for the next frame, which has these fields; 0: a key frame.
  std::uint16_t next(const std::vector<Field> &fields) const;
  // To be called when `frame`, with since_key as next() returned it, is in the file.
  void written(const FrameInfo &frame);
  // Makes the next frame a key frame. Call it after a frame was lost to an error, with a new encoder, or at the start
  // of a file.
  void restart() { next_ = 0; }

 private:
  unsigned interval_ = default_key_interval;
  unsigned next_ = 0;
};

// Encodes the chunks of one writer (an MPI rank), frame after frame. From frame to frame particles may arrive, leave
// and change their rows. Host memory kept from frame to frame: 20 bytes for each value of a float field with a bound, 8
// for each other value, and about 90 for each particle (identity, and the values of one field). One thread at a time
// may use an object.
class GPZ_API TrajectoryEncoder {
 public:
  // `threads` as in ChunkEncoder: large frames are encoded on several threads.
  explicit TrajectoryEncoder(int threads = 1);
  // Of the next frames.
  void set_threads(int threads);
  ~TrajectoryEncoder();
  TrajectoryEncoder(TrajectoryEncoder &&) noexcept;
  TrajectoryEncoder &operator=(TrajectoryEncoder &&) noexcept;

  // The order from the next chunk on. default_order until this is called.
  void set_order(Order order);
  // The effort from the next chunk on. default_effort until this is called. Codings that need a required feature are
  // only used if it is one of `features`: those of the file that the chunks go to.
  void set_effort(Effort effort, std::uint32_t features = feature::known);

  // Encodes the next frame's chunk. It must have the same index among the chunks of its frame as the earlier chunks of
  // this object had. With `key` it is independent, as a key frame needs (FrameInfo::since_key = 0). Without, it is a
  // difference chunk where that is possible and smaller. Positions are followed through the periodic edges of `box`.
  // Other arguments and errors are those of ChunkEncoder::encode. After an exception, the next chunk is independent.
  void encode(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows, const Box &box, bool key,
              EncodedChunk &out);

  // Host memory that is kept from frame to frame, bytes.
  std::size_t memory_usage() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz
