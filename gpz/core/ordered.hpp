// SPDX-License-Identifier: BSD-3-Clause
// Key frames in the order of the particles: values predicted from particles before them (docs/decisions/0011). Integers
// modulo 2^64 throughout. On a periodic axis everything happens modulo its period, so that sums along a chain of
// particles can be taken in any order.
#pragma once

#include "gpz/core/residual.hpp"

namespace gpz::core {

inline constexpr std::uint32_t max_lag = 1023;
inline constexpr std::uint32_t max_short_lag = 16;

// How the particles of a section are predicted.
struct OrderedPredictor {
  std::uint32_t lag[2] = {};  // differences of ids; 0: none
  std::uint32_t swapped = 0;  // bit d: component d looks for lag[1] first
  std::int64_t offset[2][max_components] = {};
};

inline namespace GPZ_ISA {

// Where q lies in the box; its lower edge for what is further away than the next image.
GPZ_HD std::int64_t inside(std::int64_t q, const GridAxis &axis) {
  if (axis.period == 0) return q;
  const std::int64_t p = wrap(q, axis);
  return p < axis.lo || p >= axis.lo + axis.period ? axis.lo : p;
}

// The place `step` beyond `from`, which is inside the box, as is the result; 0 <= step < period on a periodic axis.
GPZ_HD std::int64_t step_from(std::int64_t from, std::int64_t step, const GridAxis &axis) {
  return wrap(sum_of(from, step), axis);
}

// A step as an offset of a section: less than the period.
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
