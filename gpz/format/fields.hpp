// SPDX-License-Identifier: BSD-3-Clause
// Properties of fields for encoders and decoders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/types.hpp"
#include "gpz/frame.hpp"

namespace gpz::format {

static_assert(static_cast<int>(core::Value::integer) == static_cast<int>(ValueType::integer) &&
              static_cast<int>(core::Value::float32) == static_cast<int>(ValueType::float32) &&
              static_cast<int>(core::Value::float64) == static_cast<int>(ValueType::float64));
constexpr core::Value core_value(ValueType type) { return static_cast<core::Value>(type); }

// Checks the fields, and sets the step of fields with a bound but no step. Throws invalid_argument.
void prepare_fields(std::vector<FieldInput> &fields, std::uint64_t particles);

// Error that `bound` leaves for the encoder if values already have an error of up to `before`, minus the rounding error
// for values of up to `largest`. Not positive if nothing is left.
double room_beside(double bound, double before, double largest, ValueType type);

// Spacing of numbers of this type just below the next power of two above `value`.
double unit_of_last_place(double value, ValueType type);

// The field must be prepared.
core::Grid grid_of(const Field &field);
// As above, for values to be encoded. Values of a decoded field keep all bits.
core::Grid grid_of(const FieldInput &input);

// True for integers and lossless floats, whose indices (values or keys) are on no grid.
bool is_plain(const Field &field);

// Whether the fields have the same grids, so that one frame can be stored as differences from the other.
bool have_same_grids(const std::vector<Field> &fields, const std::vector<Field> &before);

// The field of ids: one integer component called id. no_field if there is none.
inline constexpr std::size_t no_field = static_cast<std::size_t>(-1);
std::size_t identity_field(const std::vector<Field> &fields);

std::vector<Field> described(const std::vector<FieldInput> &fields);

}  // namespace gpz::format
