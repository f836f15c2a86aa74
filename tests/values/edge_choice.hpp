// SPDX-License-Identifier: BSD-3-Clause
// Which bounds, steps and sizes of grid indices fields of values near edges have: a series of choices that is the same
// on every machine.
#pragma once

#include <cstdint>
#include <iterator>
#include <limits>

#include "edge_values.hpp"
#include "gpz/chunk.hpp"

namespace gpz::values {

// Random numbers of the file with this number.
struct Choice {
  std::uint64_t random;

  explicit Choice(std::uint64_t number) : random(hashed(~number)) {}
  std::uint64_t below(std::uint64_t n) {
    random = hashed(random);
    return random % n;
  }
};

// What a field of edge_value() is made of.
struct EdgeField {
  double bound = 0;
  double step = 0;       // of Field: 0 for the usual one
  double used_step = 0;  // of the grid
  int bits = 0;          // of the largest index
  int components = 0;
  std::uint64_t seed = 0;
};

inline EdgeField choose_edge_field(Choice &choice, ValueType type) {
  constexpr double smallest_single = std::numeric_limits<float>::min();
  constexpr double smallest = std::numeric_limits<double>::min();
  constexpr double bounds[] = {1e-30,
                               1e-25,
                               1e-20,
                               1e-16,
                               1e-12,
                               1e-10,
                               1e-9,
                               1e-8,
                               1e-7,
                               1e-6,
                               1e-5,
                               1e-4,
                               0.001,
                               0.002,
                               1.0 / 3.0,
                               0.0625,
                               0.5,
                               1,
                               3,
                               7.7,
                               100,
                               1e5,
                               1e10,
                               1e15,
                               1e20,
                               1e25,
                               1e30,
                               1e37,
                               1e38,
                               1e300,
                               1e-40,
                               1e-45,
                               1e-310,
                               1e-46,
                               0.01,
                               5e-324,
                               smallest_single,
                               smallest};
  // Those beyond 2 have values that no index holds within the bound.
  constexpr double factors[] = {0, 0, 0, 1, 2, 2 * (1 + 0x1p-52), 2.5, 16};
  EdgeField field;
  field.bound = bounds[choice.below(std::size(bounds))] * (choice.below(2) == 0 ? 1 : 1 + 0x1p-20 * 777);
  const double step = field.bound * factors[choice.below(std::size(factors))];
  field.step = step < std::numeric_limits<double>::max() / 2 ? step : 0;
  field.used_step = field.step == 0 ? grid_step(field.bound, type) : field.step;
  field.bits = 4 + static_cast<int>(choice.below(50));
  field.components = 1 + static_cast<int>(choice.below(3));
  field.seed = choice.below(std::uint64_t{1} << 63);
  return field;
}

}  // namespace gpz::values
