// SPDX-License-Identifier: BSD-3-Clause
// Access to a TrajectoryEncoder for other parts of the library.
#pragma once

#include <cstdint>

#include "gpz/format/difference_rules.hpp"
#include "gpz/trajectory.hpp"
#include "gpz/trajectory/chunk_history.hpp"

namespace gpz::trajectory {

struct EncoderAccess {
  // Number of the coding that the section of field 0, positions, will have in the next difference chunk without a
  // contest between codings: 1 (predicted) or 13 (steps). 0: another coding, or contests have not ended. They end
  // only in large chunks (model::large_section), and begin again with the next independent chunk.
  static std::uint8_t settled(const TrajectoryEncoder &encoder);
  // After the last chunk, for an encoder on a GPU that takes its codings: the state of the particles, if that is a
  // difference chunk; and sizes of the last independent chunk.
  static const ChunkHistory &history(const TrajectoryEncoder &encoder);
  static const format::KeySizes &key(const TrajectoryEncoder &encoder);
};

}  // namespace gpz::trajectory
