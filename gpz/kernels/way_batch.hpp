// SPDX-License-Identifier: BSD-3-Clause
// What is known and computed of bond vectors (docs/format.md, section 9c), for the particles of a vector's lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/core/config.hpp"

namespace gpz::codec {

// Largest number of lanes of an instruction set.
inline constexpr std::size_t most_lanes = 8;
template <typename T, std::size_t n = most_lanes>
struct alignas(n == 1 ? alignof(T) : 64) Lanes {
  std::array<T, n> of{};

  GPZ_HD T &operator[](std::size_t lane) { return of[lane]; }
  GPZ_HD T operator[](std::size_t lane) const { return of[lane]; }
};

inline constexpr std::size_t way_motion_features = 4;
inline constexpr std::size_t way_shape_features = 3;
inline constexpr unsigned way_side_levels = 8;

// Distances in grid steps, variances in squared grid steps. Flags are 0 or 1.
template <std::size_t n>
struct WaysOf {
  using LaneValues = Lanes<double, n>;
  using LaneVector = std::array<LaneValues, 3>;
  using LaneIntegers = Lanes<std::int32_t, n>;
  using LaneSteps = std::array<LaneIntegers, 3>;
  using LaneFloats = Lanes<float, n>;

  // Input: number of local directions (0, 1, 2), and the vectors that define them.
  LaneIntegers references;
  LaneSteps first, second;
  // Input: history of the particle.
  LaneSteps last_way;
  std::array<LaneFloats, 3> last_place, last_mean;
  LaneFloats last_length, last_mean_length, last_scale;
  LaneIntegers last_known, last_frames, last_sizes;
  std::array<LaneSteps, way_motion_features> motion;
  // Input: statistics of the particle's class.
  std::array<LaneValues, way_motion_features> motion_weights;
  std::array<std::array<LaneValues, way_shape_features>, 3> shape_weights;
  LaneValues length_deviation, along_deviation, bend, bend2, mean_length, mean_along, has_along;

  // Local axes; 0 where unknown.
  LaneVector along, towards, across;
  // Predicted shape, and the features that predict it.
  LaneValues framed;
  LaneVector direction, turned;  // third axis; the mean is predicted along it
  LaneValues length, length_along, radius;
  LaneValues length_variance, along_variance, across_variance, towards_variance, shrinkage;
  std::array<std::array<LaneValues, way_shape_features>, 3> features;

  // Current component: the order of axes, its prediction and variance.
  LaneVector axis;
  LaneValues expected, variance;
  LaneVector step;                             // expected displacement of a root
  Lanes<std::int64_t, n> number, level, part;  // members of ExpectedNumber
  LaneValues is_wide;
  // The component of step 1 (circle) or 2 (sphere) may lie on either of two sides. `side_level`: reliability of the
  // side, 0 is the lowest. `y` and `z` are the two points of the circle with the given first component.
  LaneValues has_side, side_level;
  LaneVector axle, heading, sideways, by_length, by_along;  // permuted into the order of coding
  std::array<LaneValues, 2> y, z;
  LaneValues near, cut_variance, slope, way_x, way_y, way_z, left, side, blur;

  // Input of remember() and learn(): the actual vector.
  LaneSteps way;
  // New history of the particle. `known`: how many local directions are known.
  std::array<LaneFloats, 3> place, mean;
  LaneFloats now_length, now_mean_length, scale;
  LaneIntegers known, frames, sizes;
  // Observations for the statistics of the class.
  // For roots, off_length is the mean distance from the expected displacement, relative to the scale.
  LaneValues actual_length, off_length, off_along, usual_bend, usual_bend2, actual_along, actual_turned;
};

using WayBatch = WaysOf<most_lanes>;

// Prediction of a component in the form used for coding.
struct ExpectedNumber {
  static constexpr unsigned levels = 40;
  static constexpr unsigned parts = 4;              // of half a grid step
  static constexpr double rounding_variance = 0.1;  // squared grid steps
  static constexpr double most = 1 << 30;

  std::int64_t number;  // in 1/64 grid steps, plus one half step
  unsigned level;       // octave of the variance; level 0: below 1/4
  unsigned part;        // distance to the nearest grid point, in eighths of a step
};

}  // namespace gpz::codec
