// SPDX-License-Identifier: BSD-3-Clause
// Chooses a key interval by the sizes of the first frames (docs/decisions/0085-key-intervals.md).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "gpz/trajectory.hpp"

namespace gpz::trajectory {

// The shortest key interval with which a file is at most 2 % larger than with default_key_interval, if later difference
// frames are as large as the last ones that were added.
class KeyIntervalChoice {
 public:
  // Molecules have their usual size from the third difference frame on. Sizes of single frames vary, so the smaller of
  // the last two counts.
  static constexpr unsigned frames = 6;

  // Adds a frame of the file, the first one of which is a key frame. Another key frame begins anew.
  void add(std::uint64_t bytes, bool is_key) {
    if (is_key) count_ = 0;
    sizes_[count_++] = static_cast<double>(bytes);
  }

  // Nothing until there are enough frames; then add() may not be called again.
  std::optional<unsigned> interval() const {
    if (count_ < frames) return {};
    const double later = std::min(sizes_[frames - 2], sizes_[frames - 1]);
    double all = 0;
    for (const double size : sizes_) all += size;
    const double excess = all - frames * later;  // of the first frames over as many later ones
    constexpr double most = 1.02;
    const double mean = most * (later + excess / default_key_interval);
    double sum = 0;
    for (unsigned interval = 1; interval < frames; ++interval) {
      sum += sizes_[interval - 1];
      if (sum <= interval * mean) return interval;
    }
    if (mean <= later) return default_key_interval;
    return static_cast<unsigned>(std::clamp<double>(std::ceil(excess / (mean - later)), frames, default_key_interval));
  }

 private:
  std::array<double, frames> sizes_{};
  std::size_t count_ = 0;
};

}  // namespace gpz::trajectory
