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
  // Fields of floats with a bound and without a step or an origin get the step of their values, if all values are
  // multiples of a power of ten that is no smaller than the step for the bound: they come back as these multiples then.
  // `rows` as in Writer::write.
  void apply(std::vector<FieldInput> &fields, std::size_t particles, const int *rows);

 private:
  std::vector<double> last_;  // step of each field in the last frame; 0 if none
};

}  // namespace gpz::api
