// SPDX-License-Identifier: BSD-3-Clause
// The periodic cell of positions as an encoder finds it: programs put it elsewhere than the box of the file says, or
// write no box, or follow particles beyond its edges (docs/decisions/0041).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/format/grid_box.hpp"
#include "gpz/frame.hpp"
#include "gpz/trajectory/corner_search.hpp"
#include "gpz/trajectory/edge_search.hpp"

namespace gpz::trajectory {

struct FoundCell {
  core::GridBox axes{};                       // of the section
  std::optional<format::TiltedEdges> tilted;  // what codings that know tilted cells may use instead
};

// Finds the axes of the sections of one field, section after section. What it has found stays until it no longer fits.
class CellSearch {
 public:
  // Whether an axis is replaced that a few particles miss, too: for efforts that no GPU writes.
  void set_thorough(bool is_thorough) { is_thorough_ = is_thorough; }

  // The axes of a section of n particles with indices q. `last`: the indices that they had before; without them, each
  // particle is compared with the one before it, as particles of a molecule are near each other. The axes of the box
  // stay where nearly all particles fit them.
  FoundCell find(const Box &box, const Field &field, const codec::IndexColumns &q, const codec::IndexColumns *last,
                 std::size_t n);

 private:
  // An axis relative to that of the box.
  struct Found {
    bool is_open = true;
    double offset = 0;    // of the lower edge from that of the box, in periods
    std::int64_t lo = 0;  // in grid steps, where the box names no edges
  };
  // Indices of a sample of the particles, and those that they are compared with.
  struct Sample {
    std::vector<std::int64_t> now;
    std::vector<std::int64_t> before;
  };

  void take_sample(const std::int64_t *q, const std::int64_t *last, std::size_t n);
  core::GridAxis find_axis(const core::GridAxis &named, std::int64_t period, bool is_straight, bool is_thorough,
                           Found &found);

  bool is_thorough_ = false;
  Sample sample_;
  std::array<Found, core::max_components> found_;
  EdgeSearch edges_;  // that the box does not name
  CornerSearch corner_;
};

}  // namespace gpz::trajectory
