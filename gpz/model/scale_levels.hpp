// SPDX-License-Identifier: BSD-3-Clause
// Encoder: chooses scale levels from the sizes of earlier residuals.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "gpz/format/budget.hpp"
#include "gpz/model/walk.hpp"

namespace gpz::model {

// Levels between the 1/64 and the 63/64 quantile of the scales. There is more than one only if sizes differ.
inline void choose_levels(const format::Column<std::uint32_t> &scale, Contexts &contexts) {
  std::array<std::size_t, 65> counts{};
  for (const std::uint32_t s : scale) ++counts[Contexts::half_octaves(s)];
  const std::size_t few = scale.size() / 64;
  std::size_t low = 0;
  std::size_t high = counts.size() - 1;
  for (std::size_t sum = counts[low]; low < high && sum <= few; sum += counts[++low]) {
  }
  for (std::size_t sum = counts[high]; high > low && sum <= few; sum += counts[--high]) {
  }
  contexts.base = static_cast<unsigned>(low);
  contexts.levels = std::min(static_cast<unsigned>(high - low + 1), max_scale_levels);
}

}  // namespace gpz::model
