// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/api/input_grids.hpp"

#include <array>
#include <cmath>

#include "gpz/api/input_values.hpp"
#include "gpz/chunk.hpp"
#include "gpz/core/quantize.hpp"
#include "gpz/format/fields.hpp"

namespace gpz::api {
namespace {

constexpr int coarser = 3;                // additional powers of ten to try
constexpr std::size_t sample_size = 256;  // values of a component in the first test
// Largest distance of a value from a multiple, in rounding errors of float32: programs may have made several
// operations.
constexpr double roundings = 8;
constexpr double largest_part = 1.0 / 64;  // of the step

double power_of_ten(int exponent) {
  double power = 1;
  for (int k = 0; k < std::abs(exponent); ++k) power *= 10;
  return exponent < 0 ? 1 / power : power;
}

// Whether every `stride`th value of each component is a multiple of the step.
template <class T>
bool are_multiples(const FieldInput &input, std::size_t particles, const int *rows, std::size_t stride, double step) {
  const double inverse = 1 / step;
  for (std::size_t d = 0; d < input.field.components.size(); ++d)
    for (std::size_t i = 0; i < particles; i += stride) {
      const auto x = static_cast<double>(value_at<T>(input.components[d], row_of(i, rows)));
      const double off = std::fabs(x - std::nearbyint(x * inverse) * step);
      const double rounding = roundings * format::unit_of_last_place(x, ValueType::float32);
      // False for NaN, infinities, and values so large that rounding hides the multiples.
      if (!(rounding < step * largest_part && off <= rounding)) return false;
    }
  return true;
}

bool are_multiples(const FieldInput &input, std::size_t particles, const int *rows, std::size_t stride, double step) {
  return input.components[0].type == ConstArray::Type::float32
             ? are_multiples<float>(input, particles, rows, stride, step)
             : are_multiples<double>(input, particles, rows, stride, step);
}

// Largest power of ten that divides all values, tested first on a sample; 0 if there is none.
double find_step(const FieldInput &input, std::size_t particles, const int *rows, double last) {
  const std::size_t stride = particles / sample_size + 1;
  if (last > 0 && are_multiples(input, particles, rows, 1, last)) return last;
  const double least = grid_step(input.field.bound, input.field.type);
  const int first = static_cast<int>(std::ceil(std::log10(least)));
  for (int exponent = first + coarser; exponent >= first; --exponent) {
    const double step = power_of_ten(exponent);
    if (step >= least && are_multiples(input, particles, rows, stride, step) &&
        are_multiples(input, particles, rows, 1, step))
      return step;
  }
  return 0;
}

// Bit k: enough values of a sample lie on coarse grid k.
unsigned frequent_coarse(const FieldInput &input, std::size_t particles, const int *rows) {
  constexpr std::size_t samples = 4096;   // of each component
  constexpr std::size_t rare_part = 512;  // of the samples: an exact value takes 128 bits
  const std::size_t stride = particles / samples + 1;
  std::array<std::size_t, core::finest_coarse + 1> count{};
  std::size_t all = 0;
  for (std::size_t d = 0; d < input.field.components.size(); ++d)
    for (std::size_t i = 0; i < particles; i += stride, ++all) {
      const unsigned bit = core::coarse_bit(input.field.bound, value_at<float>(input.components[d], row_of(i, rows)));
      for (std::size_t k = core::coarsest_coarse; k < count.size(); ++k) count[k] += bit >> k & 1;
    }
  unsigned found = 0;
  for (std::size_t k = 0; k < count.size(); ++k)
    if (count[k] * rare_part > all) found |= 1u << k;
  return found;
}

}  // namespace

void InputGrids::apply(std::vector<FieldInput> &fields, std::size_t particles, const int *rows) {
  last_.resize(fields.size(), 0);
  coarse_.resize(fields.size(), 0);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    FieldInput &input = fields[f];
    const Field &field = input.field;
    const bool may_have = field.type != ValueType::integer && field.bound > 0 && field.step == 0 && !input.decoded &&
                          field.origin.bound == 0 && field.origin.rounding == 0;
    last_[f] = may_have && particles > 1 ? find_step(input, particles, rows, last_[f]) : 0;
    if (last_[f] > 0) input.field.step = last_[f];
    if (!may_have || last_[f] > 0 || field.type != ValueType::float32) continue;
    coarse_[f] |= frequent_coarse(input, particles, rows);
    if (coarse_[f] != 0) input.field.step = core::step_for_bound(field.bound, core::Value::float32, coarse_[f]);
  }
}

}  // namespace gpz::api
