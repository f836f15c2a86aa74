// SPDX-License-Identifier: BSD-3-Clause
// The box of a frame as its three edge vectors.
#pragma once

#include <gpz/gpz.h>

#include <array>
#include <gpz/positions.hpp>

namespace gpz::molfile {

// Edge lengths (units of distance) and angles (degrees); lengths are 0 without a box.
struct Cell {
  std::array<double, 3> lengths{};
  std::array<double, 3> angles{90, 90, 90};  // between b and c, a and c, a and b
};

class Box {
 public:
  explicit Box(const gpz_frame &frame);

  explicit operator bool() const { return exists_; }
  Cell cell() const;
  // Makes points of positions of which some coordinates are fractions of the edges.
  PointsInBox points(const std::array<bool, 3> &scaled) const;

 private:
  bool exists_;
  std::array<double, 3> origin_{};
  std::array<std::array<double, 3>, 3> edges_{};
};

}  // namespace gpz::molfile
