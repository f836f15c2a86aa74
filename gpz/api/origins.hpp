// SPDX-License-Identifier: BSD-3-Clause
// Handles values that were decoded from a file and are written again, so that the new bound includes the old error.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "gpz/frame.hpp"

namespace gpz::api {

// Applies the rule of Field::origin to fields that have an origin.
class Origins {
 public:
  // Sets bound, step and values to encode of each field with an origin, and the largest error of these values. `rows`
  // is as in ChunkEncoder::encode. Added arrays are valid until the next call. Throws invalid_argument for a bound that
  // cannot be kept.
  void apply(std::vector<FieldInput> &fields, std::size_t particles, const int *rows);

 private:
  struct Values {  // by row
    std::vector<float> singles;
    std::vector<double> doubles;
  };

  // Copies the values, and replaces those that came from the grid by their exact grid values.
  void restore(FieldInput &input, std::size_t f, ValueType type, std::size_t particles, const int *rows);

  std::vector<std::array<Values, 3>> restored_;  // by field and component
};

}  // namespace gpz::api
