// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure.hpp"

#include <algorithm>

namespace gpz::bench {

Timing timing_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const auto quantile = [&](double share) {
    const double rank = share * static_cast<double>(seconds.size() - 1);
    const auto below = static_cast<std::size_t>(rank);
    const std::size_t above = std::min(below + 1, seconds.size() - 1);
    return seconds[below] + (rank - static_cast<double>(below)) * (seconds[above] - seconds[below]);
  };
  return {
      static_cast<int>(seconds.size()), quantile(0.5), quantile(0.25), quantile(0.75), seconds.front(), seconds.back()};
}

}  // namespace gpz::bench
