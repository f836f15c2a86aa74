// SPDX-License-Identifier: BSD-3-Clause
// The box of a section with tilts (docs/format.md, section 9d).
#pragma once

#include <cstdint>
#include <vector>

#include "gpz/core/residual.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/format/grid_box.hpp"
#include "gpz/molecule/cell.hpp"

namespace gpz::lanes {

inline void append_tilted(const format::TiltedEdges &edges, std::vector<std::uint8_t> &bytes) {
  format::ByteWriter writer(bytes);
  for (const core::GridAxis &axis : edges.axes) {
    writer.i64(axis.lo);
    writer.i64(axis.period);
  }
  for (const std::int64_t tilt : edges.tilts) writer.i64(tilt);
}

// Throws corrupt.
inline molecule::Cell read_tilted(format::ByteReader &in, bool is_brick) {
  core::GridBox axes;
  for (core::GridAxis &axis : axes) {
    axis.lo = in.i64();
    axis.period = in.i64();
  }
  molecule::Cell::Tilts tilts;
  for (std::int64_t &tilt : tilts) {
    tilt = in.i64();
    if (tilt > core::max_axis_reach || tilt < -core::max_axis_reach) format::corrupt("tilt of a box", in.position());
  }
  return molecule::Cell(axes, tilts, is_brick);
}

}  // namespace gpz::lanes
