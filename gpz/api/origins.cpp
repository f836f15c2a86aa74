// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/origins.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "gpz/api/input_values.hpp"
#include "gpz/chunk.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/error.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::api {
namespace {

// Calls use(component, row, value) for all values of a field of floats, in their own type.
template <class Use>
void for_values(const FieldInput &input, std::size_t particles, const int *rows, const Use &use) {
  for (std::size_t d = 0; d < input.field.components.size(); ++d) {
    const ConstArray &array = input.components[d];
    if (array.data == nullptr) continue;
    for (std::size_t i = 0; i < particles; ++i) {
      const std::size_t row = row_of(i, rows);
      if (array.type == ConstArray::Type::float32)
        use(d, row, value_at<float>(array, row));
      else
        use(d, row, value_at<double>(array, row));
    }
  }
}

core::Grid grid_of(const Origin &origin) { return {origin.step, 1.0 / origin.step, origin.bound}; }

// Value of a grid index, in the origin's type.
double value_on(const core::Grid &grid, ValueType type, double index) {
  return type == ValueType::float32 ? core::grid_value<float>(index, grid.step)
                                    : core::grid_value<double>(index, grid.step);
}

// Whether x was decoded from this grid, and rounded by at most Origin::rounding since. `index` receives its grid index.
template <class T>
bool is_decoded(T x, const Origin &origin, const core::Grid &grid, double &index) {
  const auto q = core::quantize(static_cast<double>(x), grid);
  index = q.rounded;
  if (!(std::fabs(q.scaled) <= core::largest_index)) return false;
  const double value = value_on(grid, origin.type, index);
  if (origin.rounding > 0) return std::fabs(static_cast<double>(x) - value) <= origin.rounding;
  return core::same_bits(x, static_cast<T>(value));
}

// Whether a finite number is a float32.
bool is_single(double x) {
  return std::fabs(x) <= std::numeric_limits<float>::max() && static_cast<double>(static_cast<float>(x)) == x;
}

struct Look {
  bool has_grid = false;     // otherwise no value is counted
  double largest = 0;        // magnitude of finite values
  std::size_t on_grid = 0;   // values
  std::size_t off_grid = 0;  // finite values within the range of the grid, but not on it
  std::size_t others = 0;    // values too large for the grid, NaN, infinities, -0

  // Every file may have some values off the grid, stored exactly.
  bool is_on_grid() const { return has_grid && off_grid <= on_grid / 8; }
  bool has_wide = false;  // a value off the grid is not a float32

  bool is_all_on_grid() const { return off_grid == 0 && others == 0; }
};

Look look_at(const FieldInput &input, const Origin &origin, std::size_t particles, const int *rows) {
  Look look;
  look.has_grid = origin.step > 0 && origin.rounding < origin.step / 4;  // otherwise the grid point is ambiguous
  const core::Grid grid = grid_of(origin);
  double index = 0;
  for_values(input, particles, rows, [&](std::size_t, std::size_t, auto x) {
    const bool is_finite = std::isfinite(x);
    if (is_finite) look.largest = std::max(look.largest, std::fabs(static_cast<double>(x)));
    if (!look.has_grid) return;
    if (is_finite && is_decoded(x, origin, grid, index)) {
      ++look.on_grid;
      return;
    }
    look.has_wide = look.has_wide || (is_finite && !is_single(static_cast<double>(x)));
    if (x != 0 && std::fabs(static_cast<double>(x) * grid.inverse_step) <= core::largest_index)
      ++look.off_grid;
    else
      ++look.others;
  });
  return look;
}

// Whether values off the grid may come unchanged from the file. The file stored them exactly if it has no grid, or in
// blocks that are smaller so: if the step is only a few units in the last place of large values, or if many values of a
// block are exact anyway. Otherwise the values have been changed since.
bool may_be_exact(const Look &look, const Origin &origin) {
  constexpr int few = 5;           // binary digits
  constexpr std::size_t many = 8;  // values off the grid per value that cannot be on it
  if (origin.bound == 0) return true;
  return look.has_grid && (look.off_grid <= many * look.others ||
                           origin.step <= std::ldexp(format::unit_of_last_place(look.largest, origin.type), few));
}

double sum_above(double a, double b) {
  if (a == 0 || b == 0) return a + b;
  return std::nextafter(a + b, std::numeric_limits<double>::infinity());
}

std::string names_of(const Field &field) {
  std::string names;
  for (const Field::Component &component : field.components) names += (names.empty() ? "" : " ") + component.name;
  return names;
}

std::string text_of(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number, std::chars_format::general).ptr};
}

[[noreturn]] void refuse(const Field &field, double before) {
  throw Error(Status::invalid_argument, names_of(field) +
                                            (field.components.size() == 1 ? " is within " : " are within ") +
                                            text_of(before) + " of the original: a bound of " + text_of(field.bound) +
                                            " cannot be kept. Without a bound the values stay as they are");
}

void keep(FieldInput &input, const Origin &origin, double before) {
  input.field.bound = before;
  // Without a grid, all values of the file were exact, and have been rounded since.
  input.field.step = origin.step > 0 ? origin.step : grid_step(before, input.field.type);
  input.decoded = true;
}

}  // namespace

void Origins::restore(FieldInput &input, std::size_t f, ValueType type, std::size_t particles, const int *rows) {
  const Origin &origin = input.field.origin;
  const core::Grid grid = grid_of(origin);
  const bool is_single = type == ValueType::float32;
  std::size_t size = 0;
  for (std::size_t i = 0; i < particles; ++i) size = std::max(size, row_of(i, rows) + 1);
  for (Values &values : restored_[f]) {
    values.singles.resize(is_single ? size : 0);
    values.doubles.resize(is_single ? 0 : size);
  }
  double index = 0;
  for_values(input, particles, rows, [&](std::size_t d, std::size_t row, auto x) {
    const bool is_value = is_decoded(x, origin, grid, index);
    Values &to = restored_[f][d];
    if (is_single)
      to.singles[row] = static_cast<float>(is_value ? value_on(grid, origin.type, index) : static_cast<double>(x));
    else
      to.doubles[row] = is_value ? value_on(grid, origin.type, index) : static_cast<double>(x);
  });
  input.field.type = type;
  for (std::size_t d = 0; d < input.field.components.size(); ++d) {
    if (is_single)
      input.components[d] = {restored_[f][d].singles.data(), sizeof(float), ConstArray::Type::float32};
    else
      input.components[d] = {restored_[f][d].doubles.data(), sizeof(double), ConstArray::Type::float64};
  }
}

void Origins::apply(std::vector<FieldInput> &fields, std::size_t particles, const int *rows) {
  restored_.resize(fields.size());
  for (std::size_t f = 0; f < fields.size(); ++f) {
    FieldInput &input = fields[f];
    const Origin origin = input.field.origin;
    const bool has_origin = origin.bound > 0 || origin.rounding > 0;
    if (input.decoded || input.field.type == ValueType::integer || !has_origin || particles == 0) continue;

    const bool asks = input.field.bound != origin.bound || input.field.step != origin.step;
    const Look look = look_at(input, origin, particles, rows);
    const bool was_single = origin.type == ValueType::float32;
    const bool is_widened = was_single && input.field.type == ValueType::float64;
    const bool is_single = was_single && (!is_widened || !look.has_wide);
    bool is_rounded = origin.rounding > 0;
    if (look.is_on_grid() && (is_rounded || is_widened)) {
      restore(input, f, is_single ? ValueType::float32 : ValueType::float64, particles, rows);
      is_rounded = is_rounded && !look.is_all_on_grid();
    }
    const double before = is_rounded ? sum_above(origin.bound, origin.rounding) : origin.bound;
    input.field.largest_error =
        std::min(is_rounded ? sum_above(origin.largest_error, origin.rounding) : origin.largest_error, before);
    if (!asks) {
      keep(input, origin, before);
      continue;
    }
    if (input.field.bound < before) refuse(input.field, before);
    const double room = format::room_beside(input.field.bound, before, look.largest, input.field.type);
    const bool stays = look.is_on_grid() ? room <= origin.bound : room <= 0 && may_be_exact(look, origin);
    if (input.field.step == 0 && stays)
      keep(input, origin, before);
    else if (!(room > 0) || input.field.step / 2 > room)
      refuse(input.field, before);
    else if (input.field.step == 0)
      input.field.step = grid_step(room, input.field.type);
  }
}

}  // namespace gpz::api
