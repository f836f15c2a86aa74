// SPDX-License-Identifier: BSD-3-Clause
// Converts the columns of a decoded frame to encoder input.
#pragma once

#include <vector>

#include "gpz/frame.hpp"

namespace gpz::api {

class FrameFields {
 public:
  // The result is valid until the frame changes or the next call. Throws invalid_argument if a column does not have one
  // value per particle.
  const std::vector<FieldInput> &fields_of(const Frame &frame);

 private:
  ConstArray array_of(const Frame::Column &column, ValueType type, std::vector<float> &narrowed);

  std::vector<FieldInput> fields_;
  std::vector<std::vector<float>> narrowed_;  // values of f32 fields, which a Frame holds as double
};

}  // namespace gpz::api
