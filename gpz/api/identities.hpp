// SPDX-License-Identifier: BSD-3-Clause
// The integer column `id` of frames whose ids are floating-point numbers, or that have none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/frame.hpp"

namespace gpz::api {

// The arrays that it adds are valid until the next call. `rows` is as in ChunkEncoder::encode.
class Identities {
 public:
  // Replaces ids of a float type by integers. Throws invalid_argument if one of them is not a whole number. Decoded
  // values (FieldInput::decoded) stay as they are.
  void make_whole(std::vector<FieldInput> &fields, std::size_t particles, const int *rows);
  // Gives the ids 1, 2, ... to a frame that has positions and no ids, and that was not decoded.
  void number(std::vector<FieldInput> &fields, std::size_t particles, const int *rows);

 private:
  // The array of the values, one for each row that is used.
  ConstArray resized(std::size_t particles, const int *rows);

  std::vector<std::int64_t> values_;  // by row
};

}  // namespace gpz::api
