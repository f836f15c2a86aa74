// SPDX-License-Identifier: BSD-3-Clause
// Facts about a file from few of its frames, and from its index.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "capped.hpp"
#include "gpz/container.hpp"

namespace gpz::tool {

// Few frames of a remote file are read: a request for each head would take minutes. The first and the last usually
// arrive with the header and the index.
inline std::vector<std::size_t> frames_to_read(std::size_t count, bool is_remote) {
  std::vector<std::size_t> frames;
  for (std::size_t i = 0; i < count; ++i)
    if (!is_remote || i == 0 || i == count / 2 || i + 1 == count) frames.push_back(i);
  return frames;
}

struct IndexSums {
  std::uint64_t particles = 0;  // of all frames
  std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
  std::uint64_t other_bytes = 0;  // of records that are no frames
};

inline IndexSums sums_of(const FileScan &scan) {
  IndexSums sums;
  sums.other_bytes = scan.frames_end - scan.frames_begin;
  for (const IndexEntry &frame : scan.frames) {
    sums.particles = capped_sum(sums.particles, frame.particles);
    sums.fewest = std::min(sums.fewest, frame.particles);
    sums.most = std::max(sums.most, frame.particles);
    sums.other_bytes -= frame.length;
  }
  return sums;
}

}  // namespace gpz::tool
