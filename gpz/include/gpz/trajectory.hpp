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

// How particles of a chunk that stands alone are ordered. By their place is fast, on a GPU too. By their ids, where
// that is smaller: ids cost next to nothing then, and crystals and molecules, whose neighbours have ids next to each
// other, less as well; encoding takes several times as long. Differences that follow are then predicted from the
// particles in front of each as well, where that is smaller: 1.1 bits an atom less for molecules, 0.3 for crystals, at
// two thirds of the speed.
enum class KeyOrder : std::uint8_t { place, smaller };

// Whether differences are of any use: there is an integer column `id`.
GPZ_API bool has_identity(const std::vector<Field> &fields);

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

  // KeyOrder::place unless it is called; for the next chunk on.
  void set_order(KeyOrder order);

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
