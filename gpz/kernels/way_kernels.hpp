// SPDX-License-Identifier: BSD-3-Clause
// Ways from particles to the particles that they hang on, several at once: what is expected of them, component after
// component, and what is learnt from them (docs/format.md, section 9c). Compiled once for each instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gpz::cpu {

// One number for each lane.
inline constexpr std::size_t most_lanes = 8;
template <typename T>
struct alignas(64) Lanes {
  std::array<T, most_lanes> of{};

  T &operator[](std::size_t lane) { return of[lane]; }
  T operator[](std::size_t lane) const { return of[lane]; }
};
using LaneValues = Lanes<double>;
using LaneVector = std::array<LaneValues, 3>;
using LaneSteps = std::array<Lanes<std::int32_t>, 3>;
using LaneFloats = Lanes<float>;

// Distances in grid steps, variances in their squares. Flags are 0 or 1.
struct WayBatch {
  static constexpr std::size_t motion_features = 4;
  static constexpr std::size_t shape_features = 3;

  // Given: which directions there are to be (0, 1, 2), and vectors along them.
  Lanes<std::int32_t> references;
  LaneSteps first, second;
  // What is remembered of the particle.
  LaneSteps last_way;
  std::array<LaneFloats, 3> last_place, last_mean;
  LaneFloats last_length, last_mean_length, last_scale;
  Lanes<std::int32_t> last_known, last_frames, last_sizes;
  std::array<LaneSteps, motion_features> motion;
  // What is known of its class.
  std::array<LaneValues, motion_features> motion_weights;
  std::array<std::array<LaneValues, shape_features>, 3> shape_weights;
  LaneValues length_deviation, along_deviation, bend, bend2, mean_length, mean_along, has_along;

  // The local axes, 0 where they are not known.
  LaneVector along, towards, across;
  // The shape that is expected, and the features it is expected from.
  LaneValues framed;
  LaneVector direction, turned;  // `turned`: the third axis, of which the mean is expected
  LaneValues length, length_along, radius;
  LaneValues length_variance, along_variance, across_variance, towards_variance, shrinkage;
  std::array<std::array<LaneValues, shape_features>, 3> features;

  // Components in turn: which one it is, what is expected of it and its variance.
  LaneVector axis;
  LaneValues expected, variance;
  Lanes<std::int64_t> number, level, part;  // of what is expected: ExpectedNumber
  LaneValues is_wide;
  // The component of step 1 (on a circle) or 2 (on a sphere) may be on either of two sides; how clear it is which one:
  // 0 least. A circle has two points that have the first component.
  LaneValues has_side, side_level;
  LaneVector axle, heading, sideways, by_length, by_along;  // in the order of components
  std::array<LaneValues, 2> y, z;
  LaneValues near, cut_variance, slope, way_x, way_y, way_z, left, side, blur;

  // Given when all are known.
  LaneSteps way;
  // What is to be remembered; `known`: how many directions of the axes are.
  std::array<LaneFloats, 3> place, mean;
  LaneFloats now_length, now_mean_length, scale;
  Lanes<std::int32_t> known, frames, sizes;
  // What is learnt.
  LaneValues actual_length, off_length, off_along, usual_bend, usual_bend2, actual_along, actual_turned;
};

// How a component that is expected is coded.
struct ExpectedNumber {
  static constexpr unsigned levels = 40;
  static constexpr double rounding_variance = 0.1;  // square steps
  static constexpr double most = 1 << 30;

  std::int64_t number;  // in 1/64 steps, and a half
  unsigned level;       // octaves of the variance, from an eighth of a square step on
  unsigned part;        // how far it is to the next grid point, in eighths of a step
};

struct WayKernels {
  static constexpr unsigned side_levels = 8;

  std::size_t lanes;
  // Local axes from `first` and `second`, and what is to be remembered of `way` in them: at first, of `last_way`.
  void (*find_axes)(WayBatch &);
  // What is expected, and the first component.
  void (*expect)(WayBatch &);
  // After the component `value` of step 0.
  void (*cut)(WayBatch &, const Lanes<std::int32_t> &value);
  // When the side is known.
  void (*settle)(WayBatch &);
  // After step 1, and when the side is known.
  void (*cut_again)(WayBatch &, const Lanes<std::int32_t> &value);
  void (*settle_last)(WayBatch &);
  // With `way`.
  void (*remember)(WayBatch &);
  void (*learn)(WayBatch &);
};

namespace GPZ_ISA {
extern const WayKernels way_kernels;
}

}  // namespace gpz::cpu
