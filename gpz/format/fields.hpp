// SPDX-License-Identifier: BSD-3-Clause
// What encoders and decoders ask of fields.
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

// Checks the fields and gives those with a bound but no step their step. Throws invalid_argument.
void prepare_fields(std::vector<FieldInput> &fields, std::uint64_t particles);

// What `bound` leaves for the encoder if the values are within `before` of the original ones: half a step, and what its
// arithmetic adds for values of up to `largest`. None if it is not positive.
double room_beside(double bound, double before, double largest, ValueType type);

// The distance of values of this type below the power of two above `value`.
double unit_of_last_place(double value, ValueType type);

// The grid of a prepared field.
core::Grid grid_of(const Field &field);
// As above, for values that are encoded: those of a decoded field stay bit for bit.
core::Grid grid_of(const FieldInput &input);

// Integers and lossless floats: the integers that stand for them, values or keys of bits, are on no grid.
bool is_plain(const Field &field);

// Whether values of these fields can be differences from values of those: the grids are the same.
bool have_same_grids(const std::vector<Field> &fields, const std::vector<Field> &before);

// The field that has the identity of particles (integers of one component called id); no_field: there is none.
inline constexpr std::size_t no_field = static_cast<std::size_t>(-1);
std::size_t identity_field(const std::vector<Field> &fields);

std::vector<Field> described(const std::vector<FieldInput> &fields);

}  // namespace gpz::format
