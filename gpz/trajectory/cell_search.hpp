// SPDX-License-Identifier: BSD-3-Clause
// Encoder: finds the periodic cell of positions. The box in the file may be missing or placed elsewhere, and programs
// let particles move beyond its edges (docs/decisions/0041).
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
  std::optional<format::TiltedEdges> tilted;  // for codings that support tilted cells
};

// Finds the axes of one field's sections, frame after frame. Found axes stay in use until they no longer fit.
class CellSearch {
 public:
  // Thorough: replaces an axis even if few particles miss it. Only for efforts without a GPU encoder.
  void set_thorough(bool is_thorough) { is_thorough_ = is_thorough; }

  // Finds the axes of a section of n particles with indices q. `last`: their indices in the previous frame. If null,
  // each particle is compared with the one in the slot before, because particles of a molecule are close to each other.
  // Axes of the box are kept if nearly all particles fit them.
  FoundCell find(const Box &box, const Field &field, const codec::IndexColumns &q, const codec::IndexColumns *last,
                 std::size_t n);

 private:
  // An axis relative to an axis of the box.
  struct Found {
    bool is_open = true;
    double offset = 0;    // of the lower edge from the box's, in periods
    std::int64_t lo = 0;  // lower edge in grid steps; only without a box
  };
  // Indices of a sample of particles, and the indices to compare with.
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
  EdgeSearch edges_;  // for axes without a box
  CornerSearch corner_;
};

}  // namespace gpz::trajectory
