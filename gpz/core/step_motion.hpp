// SPDX-License-Identifier: BSD-3-Clause
// Motions of particles without bonds in steps (docs/format.md, section 9d), on CPU and GPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/core/steps.hpp"
#include "gpz/core/types.hpp"

namespace gpz::core {
inline namespace GPZ_ISA {

// What is known of the motion of a particle without bonds, in grid steps.
template <typename R>
struct Motion {
  Vector<R> last;     // displacement
  Vector<R> before;   // displacement before that
  Vector<R> to_mean;  // from its position to the mean of its positions so far

  // The displacement that is expected.
  template <typename Constants>
  GPZ_HD Vector<R> expected(const Constants &k) const {
    return times(k(of_last_displacement), last) + times(k(of_displacement_before), before) +
           times(k(of_offset_to_mean), to_mean);
  }
  // `rest`: part of the frames before in the new mean.
  GPZ_HD Motion after(const Vector<R> &displacement, R rest) const {
    return {displacement, last, times(rest, to_mean - displacement)};
  }
};
// Motions of a step are columns of its lanes: those of x, y and z from each of these on.
enum MotionColumn : unsigned { motion_last = 0, motion_before = 3, motion_to_mean = 6 };
inline constexpr unsigned motion_columns = 9;
constexpr std::size_t index_of_motion(std::size_t slot, unsigned column) {
  return (slot / step_lanes * motion_columns + column) * step_lanes + slot % step_lanes;
}
// What a history knows of one component: the last two displacements, and the sum of vectors to earlier positions.
struct KnownMotion {
  std::int32_t velocity, previous, deviation;
};
// Component d of a motion that begins with a history; `part`: one over the number of its frames.
GPZ_HD void start_motion(float *motions, std::size_t slot, unsigned d, const KnownMotion &known, float part) {
  motions[index_of_motion(slot, motion_last + d)] = static_cast<float>(known.velocity);
  motions[index_of_motion(slot, motion_before + d)] = static_cast<float>(known.previous);
  motions[index_of_motion(slot, motion_to_mean + d)] = part * static_cast<float>(known.deviation);
}

// The binary logarithm, rounded down, of 1 and the mean squared displacement of the `count` particles of a step.
// displacement_of(i): three integers.
template <typename DisplacementOf>
GPZ_HD int octave_of_step(std::size_t count, const DisplacementOf &displacement_of) {
  constexpr int mantissa_bits = 52, bias = 1023;
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto displacement = displacement_of(i);
    for (unsigned d = 0; d < max_components; ++d) {
      const auto x = static_cast<double>(displacement[d]);
      squares += x * x;
    }
  }
  return static_cast<int>(bit_cast<std::uint64_t>(squares / static_cast<double>(count) + 1) >> mantissa_bits) - bias;
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
