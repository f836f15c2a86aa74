// SPDX-License-Identifier: BSD-3-Clause
// Particles that move so that an encoder chooses one prediction or another. The same numbers on every machine: made
// with
// + - * / and floor only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "value_file.hpp"

namespace gpz::values {

enum class Motion {
  still,     // within one cell of the grid
  straight,  // with constant velocity from one turn to the next, through periodic edges
  crystal,   // about places that stay
  walk,      // by random steps
  chains,    // four particles with consecutive ids by one step
  calm,      // by less than a cell
  odd,       // among values that no grid holds: NaN, infinities, jumps beyond 2^31 and 2^53 cells
  exchange,  // while particles leave and arrive
};

// Fields: positions x y z (leading, with a bound), velocities (of the other type, with another bound), image flags, a
// lossless float, integers from their whole range, ids.
template <typename T>
class MovingParticles {
 public:
  MovingParticles(Motion motion, std::size_t particles, std::uint64_t seed);

  // The next frame.
  FrameValues next();

 private:
  double place(std::size_t i, std::size_t d) const;  // not brought back into the box
  double odd_value(std::uint64_t random, double value) const;

  Motion motion_;
  std::uint64_t seed_;
  std::uint64_t frame_ = 0;
  double step_;                // of the positions' grid
  std::vector<double> steps_;  // taken so far, by motions that add them up; three for each particle
};

// Which predictions a difference chunk uses for its first field, which has `components` components, in words; the order
// of an independent chunk (docs/format.md, sections 8 to 10).
std::vector<std::string> predictions_of(const std::vector<std::uint8_t> &chunk, std::uint64_t particles,
                                        std::size_t fields, std::size_t components);

}  // namespace gpz::values
