// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/kernels/median.hpp"

#include <algorithm>

namespace gpz::codec {

std::int64_t median(std::int64_t *values, std::uint32_t n) {
  std::int64_t *middle = values + n / 2;
  std::nth_element(values, middle, values + n);
  return *middle;
}

}  // namespace gpz::codec
