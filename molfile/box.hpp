// SPDX-License-Identifier: BSD-3-Clause
// The box of a frame as its three edge vectors.
#pragma once

#include <gpz/gpz.h>

#include <array>

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
  // The place of fractions of the three edges.
  void place(const double *fractions, float *position) const;

 private:
  bool exists_;
  std::array<double, 3> origin_{};
  std::array<std::array<double, 3>, 3> edges_{};
};

}  // namespace gpz::molfile
