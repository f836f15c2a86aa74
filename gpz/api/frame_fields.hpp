// SPDX-License-Identifier: BSD-3-Clause
// The columns of a decoded frame as the input of an encoder.
#pragma once

#include <vector>

#include "gpz/frame.hpp"

namespace gpz::api {

class FrameFields {
 public:
  // Valid while the frame is unchanged, until the next call. Throws invalid_argument if a column does not have one
  // value for each particle.
  const std::vector<FieldInput> &of(const Frame &frame);

 private:
  ConstArray array_of(const Frame::Column &column, ValueType type, std::vector<float> &narrowed);

  std::vector<FieldInput> fields_;
  std::vector<std::vector<float>> narrowed_;  // f32 fields have their values as double in a frame
};

}  // namespace gpz::api
