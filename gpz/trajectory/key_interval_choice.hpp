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

// The shortest key interval with which a file is at most 2 % larger than with default_key_interval, if later frames are
// as large as the last ones that were added. Key frames of a liquid grow as its particles mix, until their ids tell
// nothing of their positions: while they grow, the choice begins anew.
class KeyIntervalChoice {
 public:
  // Molecules have their usual size from the third difference frame on. Sizes of single frames vary, so the smaller of
  // the last two counts.
  static constexpr unsigned frames = 6;

  // Adds a frame of the file, the first one of which is a key frame. Another key frame begins anew. Returns the
  // interval if it changes: up to `frames`, the next frame is a key frame. May not be called when the choice is final.
  std::optional<unsigned> add(std::uint64_t bytes, bool is_key) {
    constexpr double most_growth = 1.01;
    const auto size = static_cast<double>(bytes);
    if (count_ == frames) {
      is_final_ = !is_key || size <= most_growth * sizes_[0];
      if (is_final_) return {};
    }
    if (is_key) count_ = 0;
    const bool is_again = has_chosen_ && is_key;
    sizes_[count_++] = size;
    if (is_again) return default_key_interval;
    if (count_ < frames) return {};
    has_chosen_ = true;
    const unsigned found = interval();
    is_final_ = found > frames;
    return found;
  }
  bool is_final() const { return is_final_; }

 private:
  unsigned interval() const {
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

  std::array<double, frames> sizes_{};
  std::size_t count_ = 0;
  bool has_chosen_ = false;
  bool is_final_ = false;
};

}  // namespace gpz::trajectory
