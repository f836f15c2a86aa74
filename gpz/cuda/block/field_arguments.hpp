// SPDX-License-Identifier: BSD-3-Clause
// Converts the caller's fields to kernel arguments.
#pragma once

#include "gpz/cuda.hpp"
#include "gpz/cuda/block/decode_params.hpp"
#include "gpz/cuda/block/encode_params.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::cuda {

static_assert(static_cast<int>(ArrayType::int32) == static_cast<int>(ConstArray::Type::int32) &&
              static_cast<int>(ArrayType::int64) == static_cast<int>(ConstArray::Type::int64) &&
              static_cast<int>(ArrayType::float32) == static_cast<int>(ConstArray::Type::float32) &&
              static_cast<int>(ArrayType::float64) == static_cast<int>(ConstArray::Type::float64));
inline ArrayType array_type(ConstArray::Type type) { return static_cast<ArrayType>(type); }

// The output must have passed check_outputs.
inline DecodeField decode_field(const FieldOutput &output) {
  DecodeField field{};
  field.value = format::core_value(output.field.type);
  field.components = static_cast<int>(output.field.components.size());
  field.step = output.field.step;
  field.leading = output.field.leading;
  for (int d = 0; d < field.components; ++d) {
    const auto &array = output.components[static_cast<std::size_t>(d)];
    field.data[d] = static_cast<char *>(array.data);
    field.stride[d] = array.stride;
    field.type[d] = array_type(array.type);
  }
  return field;
}

}  // namespace gpz::cuda
