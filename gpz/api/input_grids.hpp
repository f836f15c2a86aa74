// SPDX-License-Identifier: BSD-3-Clause
// Values that are multiples of a power of ten, as XTC files and text of few digits have them.
#pragma once

#include <cstddef>
#include <vector>

#include "gpz/frame.hpp"

namespace gpz::api {

// Of one writer, frame after frame.
class InputGrids {
 public:
  // Fields of floats with a bound and without a step or an origin get the step of their values, if all values are
  // multiples of a power of ten that is no smaller than the step for the bound: they come back as these multiples then.
  // `rows` as in Writer::write.
  void apply(std::vector<FieldInput> &fields, std::size_t particles, const int *rows);

 private:
  std::vector<double> last_;  // such a step of each field of the last frame; 0: it had none
};

}  // namespace gpz::api
