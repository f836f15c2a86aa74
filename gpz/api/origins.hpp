// SPDX-License-Identifier: BSD-3-Clause
// Handles values that were decoded from a file and are written again: the new bound also holds for the original values.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "gpz/frame.hpp"

namespace gpz::api {

// Applies the rule of Field::origin to fields that have an origin.
class Origins {
 public:
  // Sets bound, step and values to encode of each field with an origin, and the largest error that these values already
  // have. `rows` is as in ChunkEncoder::encode. Arrays that it adds are valid until the next call. Throws
  // invalid_argument for a bound that cannot be kept.
  void apply(std::vector<FieldInput> &fields, std::size_t particles, const int *rows);

 private:
  struct Values {  // by row
    std::vector<float> singles;
    std::vector<double> doubles;
  };

  // Copies the values, and restores those that were decoded from the grid to their exact grid values.
  void restore(FieldInput &input, std::size_t f, ValueType type, std::size_t particles, const int *rows);

  std::vector<std::array<Values, 3>> restored_;  // by field and component
};

}  // namespace gpz::api
