// SPDX-License-Identifier: BSD-3-Clause
// Sums over the particles of a class, to which an encoder fits the constants of steps. Compiled once for each
// instruction set; the sums have the same bits with each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/core/config.hpp"
#include "gpz/kernels/step_kernels.hpp"

namespace gpz::codec {

// Weights of the steps from the last value of a length to that of the class, to the carried one, and to the mean: the
// upper triangle of the matrix of least squares, then its right-hand side.
inline constexpr unsigned fit_weights = 3, fit_equations = 9;

// What is summed. The sums of means come first, then those of weights, then those of deviations.
enum FitSum : unsigned {
  fit_count,
  fit_carried,  // of products of the parent's displacement with the change of the bond vector, and with itself
  fit_moved,
  fit_length,
  fit_along,
  fit_displaced,
  fit_of_length,
  fit_of_along = fit_of_length + fit_equations,
  fit_heading =
      fit_of_along + fit_equations,  // of products of sines: to the mean heading with itself, and with that of
  fit_headed,                        // this frame
  fit_turn,                          // of products of the turn of the carried vector, in the same way
  fit_turned,
  fit_measured,
  fit_off_length,
  fit_off_along,
  fit_bends,
  fit_bend,  // of 1 - cos and of 1 - cos^2 of the angle to the expected direction
  fit_bend2,
  fit_sums
};
struct FitRange {
  unsigned first, end;
};
inline constexpr FitRange fit_means{fit_count, fit_of_length}, fit_all_weights{fit_of_length, fit_measured},
    fit_deviations{fit_measured, fit_sums}, fit_everything{fit_count, fit_sums};
using FitSums = std::array<double, fit_sums>;

// What sums depend on, of a class: constants that were fitted before, and its heading in a key frame.
enum FitValue : unsigned {
  value_carried,
  value_length,
  value_along,
  value_headed,
  value_turned,
  value_towards,
  value_aside,
  value_of_length,
  value_of_along = value_of_length + fit_weights,
  fit_values = value_of_along + fit_weights
};
using FitValues = std::array<float, fit_values>;

// Rows and means of a block: those of slot `first_slot` come first.
struct FitBlock {
  const std::int32_t *rows;
  const float *means;  // not used in a key frame
  unsigned now;
  float gain;
  std::size_t first_slot;
};

struct FitKernels {
  // Adds the particles of some steps of a block to the sums of their classes, as far as these are in the range.
  // `classes`: of the lanes of each column of constants. The table has no constants.
  void (*add)(const StepTable &table, const std::uint8_t *classes, const FitBlock &block, const std::uint32_t *steps,
              std::size_t count, const FitValues *values, FitRange range, FitSums *sums);
};

namespace GPZ_ISA {
extern const FitKernels fit_kernels;
}

}  // namespace gpz::codec
