// SPDX-License-Identifier: BSD-3-Clause
// The data that a benchmark compresses: positions and, if wanted, ids and types.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bench/cloud.hpp"
#include "gpz/frame.hpp"

namespace gpz::bench {

struct Snapshot {
  Cloud cloud;
  std::vector<std::int32_t> ids;    // empty: none
  std::vector<std::int32_t> types;  // empty: none

  std::size_t particles() const { return cloud.particles(); }
  std::size_t bytes() const { return cloud.bytes() + 4 * (ids.size() + types.size()); }
};

// 1 .. particles in random order (Fisher-Yates), as atoms of a liquid have after some time. The same with every
// compiler, as the types.
std::vector<std::int32_t> shuffled_ids(std::size_t particles);
// 1, 2 or 3, equally likely.
std::vector<std::int32_t> random_types(std::size_t particles);

// Where the arrays of a snapshot are: in its own memory, or copied as they are to a device.
struct ArrayPointers {
  const void *positions = nullptr;
  const void *ids = nullptr;
  const void *types = nullptr;
};
inline ArrayPointers pointers_of(const Snapshot &snapshot) {
  return {snapshot.cloud.data(), snapshot.ids.data(), snapshot.types.data()};
}

// The input of the codec: positions lead with `bound`, ids and types follow.
std::vector<FieldInput> fields_of(const Snapshot &snapshot, double bound, const ArrayPointers &arrays);

// An empty frame with these fields, for decoding.
Frame frame_for(const std::vector<FieldInput> &fields);

// A snapshot with the arrays of `like`, filled from a decoded frame.
Snapshot snapshot_of(const Frame &frame, const Snapshot &like);

// An empty one with the same arrays.
Snapshot same_shape(const Snapshot &snapshot);

// The particles of some ranges, one range after the other, with their number in the result as id and without types.
using Range = std::pair<std::size_t, std::size_t>;  // first, after the last
Snapshot numbered_part(const Snapshot &snapshot, const std::vector<Range> &ranges);

}  // namespace gpz::bench
