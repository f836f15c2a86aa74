// SPDX-License-Identifier: BSD-3-Clause
// Encoder: chooses scale levels from the sizes of earlier residuals.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "gpz/codec/parallel_parts.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/model/walk.hpp"

namespace gpz::model {

// Levels between the 1/64 and the 63/64 quantile of the scales. There is more than one only if sizes differ.
inline void choose_levels(const format::Column<std::uint32_t> &scale, Contexts &contexts, int threads = 1) {
  using Counts = std::array<std::size_t, 65>;
  Counts counts{};
  const auto parts = codec::parallel_parts<Counts>(threads, scale.size(), [&](std::size_t first, std::size_t last) {
    Counts part{};
    for (std::size_t i = first; i < last; ++i) ++part[Contexts::half_octaves(scale[i])];
    return part;
  });
  for (const Counts &part : parts)
    std::transform(part.begin(), part.end(), counts.begin(), counts.begin(), std::plus<>());
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
