// SPDX-License-Identifier: BSD-3-Clause
// The normal distribution, with the same bits on every machine.
#pragma once

#include <cmath>

#include "gpz/core/config.hpp"

namespace gpz::core {
inline namespace GPZ_ISA {

// The part of a normal distribution with deviation 1 that lies below x, to 2e-7 (Abramowitz and Stegun, 7.1.28).
inline double normal_below(double x) {
  constexpr double coefficients[] = {0.0000430638, 0.0002765672, 0.0001520143,
                                     0.0092705272, 0.0422820123, 0.0705230784};
  const double y = std::fabs(x) * 0.7071067811865476;
  double sum = 0;
  for (const double c : coefficients) sum = (sum + c) * y;
  double power = 1 + sum;
  for (int k = 0; k < 4; ++k) power *= power;
  const double above = 0.5 / power;  // |x|
  return x < 0 ? above : 1 - above;
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
