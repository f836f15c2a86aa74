// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/frame_fields.hpp"

#include <algorithm>
#include <string>

#include "gpz/error.hpp"

namespace gpz::api {

const std::vector<FieldInput> &FrameFields::fields_of(const Frame &frame) {
  fields_.clear();
  narrowed_.resize(frame.columns.size());
  std::size_t expected = 0;
  for (const Field &field : frame.info.fields) {
    fields_.push_back({field, {}});
    expected += field.components.size();
  }
  if (frame.columns.size() != expected)
    throw Error(Status::invalid_argument, "a frame with " + std::to_string(frame.columns.size()) +
                                              " columns, whose fields have " + std::to_string(expected));
  for (std::size_t c = 0; c < frame.columns.size(); ++c) {
    const Frame::Column &column = frame.columns[c];
    if (column.field >= fields_.size() || column.component >= fields_[column.field].field.components.size())
      throw Error(Status::invalid_argument, "a column of no field");
    FieldInput &input = fields_[column.field];
    if (input.components[column.component].data != nullptr)
      throw Error(Status::invalid_argument, "column " + frame.name(column) + " twice");
    const bool integer = input.field.type == ValueType::integer;
    if ((integer ? column.integers.size() : column.floats.size()) != frame.info.particles)
      throw Error(Status::invalid_argument,
                  "column " + frame.name(column) + " does not have one value for each particle");
    input.components[column.component] = array_of(column, input.field.type, narrowed_[c]);
  }
  return fields_;
}

ConstArray FrameFields::array_of(const Frame::Column &column, ValueType type, std::vector<float> &narrowed) {
  if (type == ValueType::integer) return {column.integers.data(), sizeof(std::int64_t), ConstArray::Type::int64};
  if (type == ValueType::float64) return {column.floats.data(), sizeof(double), ConstArray::Type::float64};
  narrowed.resize(column.floats.size());
  std::transform(column.floats.begin(), column.floats.end(), narrowed.begin(),
                 [](double value) { return static_cast<float>(value); });
  return {narrowed.data(), sizeof(float), ConstArray::Type::float32};
}

}  // namespace gpz::api
