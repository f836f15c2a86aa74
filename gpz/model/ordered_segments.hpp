// SPDX-License-Identifier: BSD-3-Clause
// Segments of a section in the order of ids, which are coded without each other (docs/format.md, section 10j).
#pragma once

#include <algorithm>
#include <cstddef>

namespace gpz::model {

inline constexpr std::size_t ordered_segment = 8192;  // particles; the last segment may have fewer

inline std::size_t ordered_segments_of(std::size_t particles) { return (particles + ordered_segment - 1) / ordered_segment; }

struct OrderedSegment {
  std::size_t first = 0;  // particle
  std::size_t count = 0;

  OrderedSegment(std::size_t s, std::size_t particles)
      : first(s * ordered_segment), count(std::min(ordered_segment, particles - first)) {}
};

}  // namespace gpz::model
