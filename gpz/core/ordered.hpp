// SPDX-License-Identifier: BSD-3-Clause
// Ordered key frames: each value is predicted from earlier particles (docs/decisions/0011). Integers modulo 2^64
// throughout. Periodic axes compute modulo the period, so a parallel prefix sum along a chain of particles gives the
// same result.
#pragma once

#include "gpz/core/residual.hpp"

namespace gpz::core {

inline constexpr std::uint32_t max_lag = 1023;
inline constexpr std::uint32_t max_short_lag = 16;

// Prediction of one section.
struct OrderedPredictor {
  std::uint32_t lag[2] = {};  // differences of ids; 0: none
  std::uint32_t swapped = 0;  // bit d: component d tries lag[1] first
  std::int64_t offset[2][max_components] = {};
};

inline namespace GPZ_ISA {

// Image of q inside the box. The lower edge if q is more than one period outside.
GPZ_HD std::int64_t inside(std::int64_t q, const GridAxis &axis) {
  if (axis.period == 0) return q;
  const std::int64_t p = wrap(q, axis);
  return p < axis.lo || p >= axis.lo + axis.period ? axis.lo : p;
}

// from + step, wrapped into the box. `from` is inside the box; 0 <= step < period on a periodic axis.
GPZ_HD std::int64_t step_from(std::int64_t from, std::int64_t step, const GridAxis &axis) {
  return wrap(sum_of(from, step), axis);
}

// Reduces a step to a section offset in [0, period).
GPZ_HD std::int64_t as_offset(std::int64_t step, const GridAxis &axis) {
  if (axis.period == 0) return step;
  const std::int64_t rest = step % axis.period;
  return rest < 0 ? rest + axis.period : rest;
}
GPZ_HD bool is_offset(std::int64_t step, const GridAxis &axis) {
  return axis.period == 0 || (step >= 0 && step < axis.period);
}

}  // namespace GPZ_ISA
}  // namespace gpz::core
