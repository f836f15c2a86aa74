// SPDX-License-Identifier: BSD-3-Clause
// Recognises values that are multiples of a power of ten, as in XTC files and text with few digits.
#pragma once

#include <cstddef>
#include <vector>

#include "gpz/frame.hpp"

namespace gpz::api {

// For one writer, frame after frame.
class InputGrids {
 public:
  // Sets the step of float fields that have a bound, but no step and no origin, if all values are multiples of a power
  // of ten that is not below the step for the bound. Decoded values are then these multiples. `rows` as in
  // Writer::write.
  void apply(std::vector<FieldInput> &fields, std::size_t particles, const int *rows);

 private:
  std::vector<double> last_;  // step of each field in the last frame; 0: none
};

}  // namespace gpz::api
