// SPDX-License-Identifier: BSD-3-Clause
// Values that were decoded from a file and are written again: the new bound holds for the original values too.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "gpz/frame.hpp"

namespace gpz::api {

// Looks at the bounds of fields that have an origin (Field::origin, which has the rule).
class Origins {
 public:
  // Gives each field with an origin the bound, the step and the values that are encoded, and the largest error that
  // these have already. `rows` is as in ChunkEncoder::encode. Arrays that it adds are valid until the next call. Throws
  // invalid_argument for a bound that cannot be kept.
  void apply(std::vector<FieldInput> &fields, std::size_t particles, const int *rows);

 private:
  struct Values {  // by row
    std::vector<float> singles;
    std::vector<double> doubles;
  };

  // Makes a copy of the values in which those that were decoded from the grid are again what they were.
  void restore(FieldInput &input, std::size_t f, ValueType type, std::size_t particles, const int *rows);

  std::vector<std::array<Values, 3>> restored_;  // by field and component
};

}  // namespace gpz::api
