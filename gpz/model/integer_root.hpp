// SPDX-License-Identifier: BSD-3-Clause
// Square roots that every machine computes alike.
#pragma once

#include <cmath>
#include <cstdint>

namespace gpz::model {

// The largest integer whose square is at most x, which is below 2^62; 0 if x is negative.
inline std::int64_t integer_root(std::int64_t x) {
  if (x <= 0) return 0;
  // What the conversion and the root round, the comparisons put right.
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(x)));
  if (root * root > x) --root;
  if ((root + 1) * (root + 1) <= x) ++root;
  return root;
}

}  // namespace gpz::model
