// SPDX-License-Identifier: BSD-3-Clause
// Decides when to write, or try, difference chunks that are larger than independent ones. The first difference chunks
// after an independent one are large because the history is short. If later ones stay large, frames are too far apart.
#pragma once

#include <algorithm>
#include <cstddef>

namespace gpz::trajectory {

class DifferencePatience {
 public:
  // Whether to skip the trial for the next frame and write an independent chunk, because differences have lost
  // repeatedly.
  bool waits() {
    if (wait_ == 0) return false;
    --wait_;
    return true;
  }

  // Whether bytes of a difference chunk that later ones use as well may count as theirs.
  bool may_invest() const { return !has_lost_; }

  // Whether to keep a difference chunk of `size` bytes although an independent chunk would have only `usual` <= `size`
  // bytes.
  bool tolerates(std::size_t size, std::size_t usual) {
    const std::size_t excess = size - usual;
    const bool shrinks = larger_ == 0 || (larger_ == 1 && excess <= excess_before_ / 2);
    const bool may = !has_lost_ && excess < usual / 4 && shrinks;
    excess_before_ = excess;
    ++larger_;
    return may;
  }

  // Reports the result of a trial.
  void encoded(bool is_larger, bool has_lost) {
    if (!is_larger) {
      *this = {};
      return;
    }
    if (!has_lost) return;
    has_lost_ = true;
    larger_ = 0;
    wait_ = longer_;
    longer_ = longer_ == 0 ? 2 : std::min(2 * longer_, most_waiting);
  }

 private:
  static constexpr unsigned most_waiting = 16;  // frames

  bool has_lost_ = false;  // and no difference chunk was smaller since
  unsigned longer_ = 0;    // frames to wait after the next loss
  unsigned larger_ = 0;    // difference chunks that were larger, since the independent chunk
  unsigned wait_ = 0;      // frames
  std::size_t excess_before_ = 0;
};

}  // namespace gpz::trajectory
