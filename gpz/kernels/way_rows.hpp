// SPDX-License-Identifier: BSD-3-Clause
// Moves particles between their memory, a row each, and the lanes of a WayBatch. Compiled once for each instruction
// set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/kernels/way_kernels.hpp"

namespace gpz::codec {

// A particle is a row of words: steps are int32, all others floats. Word 18 ends with the byte of known axes, word 19
// begins with those of frames and sizes.
struct WayRow {
  static constexpr std::size_t way = 0, moved = 3, before = 6, place = 9, mean = 12, length = 15, mean_length = 16,
                               scale = 17, words = 20;
  static constexpr std::size_t known_byte = 75, frames_byte = 76, sizes_byte = 77;
};

// Statistics of a class: weights of motion and shape, then the values of WayBatch from length_deviation on.
struct ClassRow {
  static constexpr std::size_t features = way_motion_features + 3 * way_shape_features;
  static constexpr std::size_t values = features + 7;

  std::array<double, values> of{};
};

// The rows of the particles in the lanes. All must be valid, also those of idle lanes.
struct WayRows {
  std::array<const void *, most_lanes> last;           // after the frame before
  std::array<const void *, most_lanes> parent;         // of this frame
  std::array<const void *, most_lanes> parent_older;   // its `before` of the frame before, 4 words
  std::array<const void *, most_lanes> along, across;  // particles whose bond vectors of this frame are references
  std::array<const ClassRow *, most_lanes> classes;
  std::array<void *, most_lanes> now;
  // -1 or 0: whether a reference is the negative bond vector; whether the parent's is subtracted from the second one.
  Lanes<std::int32_t> along_is_negative, across_is_negative, across_from_parent;
  std::int32_t longest_move = 0;
};

struct RowKernels {
  // Loads all inputs of a batch other than `references`.
  void (*take)(const WayRows &, WayBatch &);
  // Stores the results of remember() and learn() in `now`.
  void (*give)(const WayBatch &, const WayRows &);
  // The same for roots, whose displacements are in `way`.
  void (*take_roots)(const WayRows &, WayBatch &);
  void (*give_roots)(const WayBatch &, const WayRows &);
};

namespace GPZ_ISA {
extern const RowKernels row_kernels;
}

}  // namespace gpz::codec
