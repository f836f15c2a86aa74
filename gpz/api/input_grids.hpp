// SPDX-License-Identifier: BSD-3-Clause
// Chooses the grids of values: multiples of a power of ten, as in XTC files and text with few digits; steps that keep
// the bound for large floats of 32 bits.
#pragma once

#include <cstddef>
#include <vector>

#include "gpz/frame.hpp"

namespace gpz::api {

// For one writer, frame after frame.
class InputGrids {
 public:
  // Sets the step of float fields that have a bound, but no step and no origin, if all values are multiples of a power
  // of ten that is not below the step for the bound. Decoded values are then these multiples. Else, of float32, if many
  // values are so large that rounding to float32 would take them out of the bound: a step at which it does not. It
  // stays for later frames, which are predicted on the same grid. `rows` as in Writer::write.
  void apply(std::vector<FieldInput> &fields, std::size_t particles, const int *rows);

 private:
  std::vector<double> last_;      // step of each field in the last frame that is a power of ten; 0: none
  std::vector<unsigned> coarse_;  // of each field, of all frames: core::step_for_bound
};

}  // namespace gpz::api
