// SPDX-License-Identifier: BSD-3-Clause
// Whether difference chunks that are larger than independent ones are worth it, or worth trying. After an independent
// chunk the first difference chunks are large, until the history of the particles says more. If they do not become
// smaller, the frames are too far apart.
#pragma once

#include <algorithm>
#include <cstddef>

namespace gpz::trajectory {

class DifferencePatience {
 public:
  // Whether the next frame is encoded as an independent chunk at once, because differences have lost several times.
  bool waits() {
    if (wait_ == 0) return false;
    --wait_;
    return true;
  }

  // Whether a difference chunk of `size` bytes may stand, where an independent one has about `usual` bytes, which is
  // no more.
  bool tolerates(std::size_t size, std::size_t usual) {
    const std::size_t excess = size - usual;
    const bool shrinks = larger_ == 0 || (larger_ == 1 && excess <= excess_before_ / 2);
    const bool may = !has_lost_ && excess < usual / 4 && shrinks;
    excess_before_ = excess;
    ++larger_;
    return may;
  }

  // Says what became of a difference chunk.
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
