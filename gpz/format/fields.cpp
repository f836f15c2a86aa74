// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/format/fields.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "gpz/chunk.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/error.hpp"
#include "gpz/format/arithmetic.hpp"
#include "gpz/format/codings.hpp"

namespace gpz {

double grid_step(double bound, ValueType type) {
  const format::UsualArithmetic arithmetic;
  if (!(std::isfinite(bound) && bound > 0))
    throw Error(Status::invalid_argument, "the error bound has to be positive and finite");
  return core::step_for_bound(bound, format::core_value(type));
}

double grid_step(double bound, ValueType type, double largest) {
  const double usual = grid_step(bound, type);
  if (type != ValueType::float32) return usual;
  const format::UsualArithmetic arithmetic;
  return core::step_for_bound(bound, core::Value::float32, core::coarse_bits(bound, largest));
}

void fill_step(Field &field) {
  const format::UsualArithmetic arithmetic;
  if (field.bound == 0)
    field.step = 0;
  else if (field.step == 0)
    field.step = grid_step(field.bound, field.type);
}

double step_beside(double bound, double before, double largest, ValueType type) {
  const format::UsualArithmetic arithmetic;
  const double room = format::room_beside(bound, before, largest, type);
  return room > 0 ? grid_step(room, type) : 0;
}

double error_beside(double bound, double before, double added) {
  const format::UsualArithmetic arithmetic;
  if (before == 0 || added == 0) return std::min(before + added, bound);
  return std::min(std::nextafter(before + added, std::numeric_limits<double>::infinity()), bound);
}

void add_earlier_errors(const std::vector<FieldInput> &fields, std::vector<double> &largest_error) {
  for (std::size_t f = 0; f < largest_error.size(); ++f) {
    const Field &field = fields[f].field;
    largest_error[f] = error_beside(field.bound, field.largest_error, largest_error[f]);
  }
}

namespace format {

double unit_of_last_place(double value, ValueType type) {
  int exponent = 0;
  std::frexp(value, &exponent);
  const int digits =
      type == ValueType::float32 ? std::numeric_limits<float>::digits : std::numeric_limits<double>::digits;
  return std::ldexp(1.0, exponent - digits);
}

namespace {

// Upper bound of the rounding error that the encoder adds to half a step, for all values of the field.
double rounding_of_encoder(double largest, ValueType type) { return 4 * unit_of_last_place(largest, type); }

bool is_positive(double x) { return std::isfinite(x) && x > 0; }

void prepare(FieldInput &input, std::size_t number, std::uint64_t particles) {
  Field &field = input.field;
  const auto require = [&](bool holds, const char *cause) {
    if (holds) return;
    const std::string name = field.components.empty() ? std::to_string(number) : field.components.front().name;
    throw Error(Status::invalid_argument, "field " + name + ": " + cause);
  };
  require(!field.components.empty() && field.components.size() <= core::max_components,
          "1 to 3 components are possible");
  require(!field.leading || number == 0, "only the first field can be the leading one");
  require(field.bound == 0 || is_positive(field.bound),
          "the error bound has to be positive and finite, or 0 for lossless");
  const bool integer = field.type == ValueType::integer;
  require(!integer || (field.bound == 0 && !field.leading), "integers are lossless and cannot lead");
  const ConstArray::Type float_type =
      field.type == ValueType::float32 ? ConstArray::Type::float32 : ConstArray::Type::float64;
  for (std::size_t d = 0; d < field.components.size(); ++d) {
    const ConstArray &array = input.components[d];
    require(array.data != nullptr || particles == 0, "no data");
    require(integer ? is_integer(array.type) : array.type == float_type,
            "the type of the array is not that of the field");
  }
  fill_step(field);
  require(field.bound == 0 || is_positive(field.step), "the grid step has to be positive and finite");
}

}  // namespace

void prepare_fields(std::vector<FieldInput> &fields, std::uint64_t particles) {
  const UsualArithmetic arithmetic;
  for (std::size_t f = 0; f < fields.size(); ++f) prepare(fields[f], f, particles);
}

double room_beside(double bound, double before, double largest, ValueType type) {
  return bound - before - rounding_of_encoder(largest, type);
}

core::Grid grid_of(const Field &field) {
  const UsualArithmetic arithmetic;
  if (field.bound == 0) return {};
  return {field.step, 1.0 / field.step, field.bound};
}

core::Grid grid_of(const FieldInput &input) {
  core::Grid grid = grid_of(input.field);
  grid.only_its_values = input.decoded;
  return grid;
}

FieldClass class_of(const Field &field) {
  if (field.type == ValueType::integer) return field.leading ? sort_keys : integers;
  if (is_plain(field)) return lossless;
  return field.leading ? positions : values;
}

bool is_plain(const Field &field) { return field.type == ValueType::integer || field.step == 0; }

bool have_same_grids(const std::vector<Field> &fields, const std::vector<Field> &before) {
  return std::equal(fields.begin(), fields.end(), before.begin(), before.end(), [](const Field &a, const Field &b) {
    return a.type == b.type && a.bound == b.bound && a.step == b.step && a.leading == b.leading &&
           a.components.size() == b.components.size();
  });
}

std::vector<Field> described(const std::vector<FieldInput> &fields) {
  std::vector<Field> out(fields.size());
  std::transform(fields.begin(), fields.end(), out.begin(), [](const FieldInput &input) { return input.field; });
  return out;
}

std::size_t identity_field(const std::vector<Field> &fields) {
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (fields[f].type == ValueType::integer && fields[f].components.size() == 1 &&
        fields[f].components[0].name == "id")
      return f;
  return no_field;
}

}  // namespace format
}  // namespace gpz
