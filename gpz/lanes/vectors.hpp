// SPDX-License-Identifier: BSD-3-Clause
// Vectors between rows, in doubles.
#pragma once

#include <cmath>
#include <cstdint>

#include "gpz/core/steps.hpp"

namespace gpz::lanes {

using Vector = core::Vector<double>;

inline Vector vector_between(const std::int32_t *to, const std::int32_t *from) {
  return {static_cast<double>(to[0]) - from[0], static_cast<double>(to[1]) - from[1],
          static_cast<double>(to[2]) - from[2]};
}
inline double length_of(const Vector &v) { return std::sqrt(core::dot(v, v)); }

}  // namespace gpz::lanes
