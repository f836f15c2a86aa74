// SPDX-License-Identifier: BSD-3-Clause
// Decides when to write, or try, difference chunks that are larger than independent ones. The first ones after an
// independent chunk are large because the history is short. If they do not become smaller, frames are too far apart.
#pragma once

#include <algorithm>
#include <cstddef>

namespace gpz::trajectory {

class DifferencePatience {
 public:
  // Whether to encode the next frame as an independent chunk without a trial, because differences have lost repeatedly.
  bool waits() {
    if (wait_ == 0) return false;
    --wait_;
    return true;
  }

  // Whether to keep a difference chunk of `size` bytes although an independent one has about `usual` <= `size` bytes.
  bool tolerates(std::size_t size, std::size_t usual) {
    const std::size_t excess = size - usual;
    const bool shrinks = larger_ == 0 || (larger_ == 1 && excess <= excess_before_ / 2);
    const bool may = !has_lost_ && excess < usual / 4 && shrinks;
    excess_before_ = excess;
    ++larger_;
    return may;
  }

  // Reports the outcome of a difference chunk.
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

  bool has_lost_ = false;  // since a difference chunk was smaller
  unsigned longer_ = 0;    // frames to wait after the next loss
  unsigned larger_ = 0;    // difference chunks that were larger, since the independent chunk
  unsigned wait_ = 0;      // frames
  std::size_t excess_before_ = 0;
};

}  // namespace gpz::trajectory
