// Chunks of a trajectory: particles whose ids are known are stored as differences from earlier frames
// (docs/format.md, sections 8 to 10; docs/decisions/0010 to 0014).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/export.h"
#include "gpz/frame.hpp"

namespace gpz {

// Frames from one key frame to the next, unless the user asks for another number: what a key frame costs more than a
// difference frame is spread over this many, and as many have to be decoded to get at the last of them
// (docs/results.md has the measurements).
constexpr unsigned default_key_interval = 100;
constexpr unsigned max_key_interval = 65535;

// The order of particles in independent chunks: the ones of key frames, and others that do not build on earlier frames.
enum class Order : std::uint8_t {
  // By their place in space: fast, on a GPU too.
  place,
  // By their ids where that is smaller, else by place: ids cost next to nothing then, and crystals and molecules, whose
  // neighbours have ids next to each other, less as well; encoding takes several times as long. Difference frames are
  // then predicted from the particles in front of each as well, where that is smaller: 1.1 bits an atom less for
  // molecules, 0.3 for crystals, at two thirds of the speed.
  id,
};

// Whether differences are of any use: there is an integer column `id`.
GPZ_API bool has_identity(const std::vector<Field> &fields);

// Which frames of a file are key frames: the first, then one every `interval` frames, every frame without an identity,
// and the one that follows it.
class GPZ_API KeySchedule {
 public:
  // `interval`: 1 (key frames only) to max_key_interval; throws invalid_argument otherwise.
  explicit KeySchedule(unsigned interval = default_key_interval) { set_interval(interval); }
  // The next frame is a key frame.
  void set_interval(unsigned interval);

  // FrameInfo::since_key for the next frame, which has these fields; 0: a key frame.
  std::uint16_t next(const std::vector<Field> &fields) const;
  // `frame`, with what next() said in its since_key, is in the file.
  void written(const FrameInfo &frame);
  // The next frame is a key frame: because one was lost to an error, is of another encoder, or begins another file.
  void restart() { next_ = 0; }

 private:
  unsigned interval_ = default_key_interval;
  unsigned next_ = 0;
};

// Encodes the chunks of one writer (an MPI rank), frame after frame; the frames may have other particles in another
// order. Keeps 20 bytes for each value of a float field with a bound and 8 for each other one, and about 90 for each
// particle: who is who, and the values of one field. One object serves one caller at a time.
class GPZ_API TrajectoryEncoder {
 public:
  // `threads` as in ChunkEncoder.
  explicit TrajectoryEncoder(int threads = 1);
  ~TrajectoryEncoder();
  TrajectoryEncoder(TrajectoryEncoder &&) noexcept;
  TrajectoryEncoder &operator=(TrajectoryEncoder &&) noexcept;

  // Order::place unless it is called; for the next chunk on.
  void set_order(Order order);

  // The next frame's chunk, which goes to the same place among the chunks of its frame as the ones before. With `key`
  // it stands alone, and the frame may be a key frame (FrameInfo::since_key = 0); without, it builds on the last one,
  // unless that would make it larger. Positions are followed through the periodic edges of `box`. Otherwise as
  // ChunkEncoder::encode; after an exception, the next chunk stands alone.
  void encode(const std::vector<FieldInput> &fields, std::size_t particles, const int *rows, const Box &box, bool key,
              EncodedChunk &out);

  // Bytes of host memory for what is kept from frame to frame.
  std::size_t memory_usage() const;

 private:
  struct GPZ_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace gpz
