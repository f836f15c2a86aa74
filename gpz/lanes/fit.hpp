// SPDX-License-Identifier: BSD-3-Clause
// Encoder: constants of classes, from frames as they are coded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/lanes/constants.hpp"
#include "gpz/lanes/layout.hpp"

namespace gpz::lanes {

class Fit {
 public:
  // Begins anew.
  void start(std::size_t classes) { sums_.assign(classes, {}); }
  bool empty() const { return sums_.empty(); }
  // Adds a frame: rows at `now` (0 or 4) follow the others. The first one is passed three times, later ones use the
  // constants so far.
  void add(const Molecules &molecules, const Layout &layout, const std::int32_t *rows, unsigned now);
  std::vector<ClassConstants> constants() const;

 private:
  // A line through the origin of two features, by least squares.
  struct Plane {
    double aa = 0, ab = 0, bb = 0, at = 0, bt = 0;
    void add(double a, double b, double target);
    std::array<double, 2> solve() const;
  };
  struct Sums {
    double count = 0, carried = 0, moved = 0, length = 0, along = 0, displaced = 0;
    Plane of_length, of_along;
    double turned = 0, turn = 0;
    double measured = 0, off_length = 0, off_along = 0, bends = 0, bend = 0, bend2 = 0;
  };
  // Constants before they are rounded.
  struct Values {
    double carried = 0, length = 0, along = 0, turned = 0, displaced = 1;
    std::array<double, 2> of_length{}, of_along{};
    double off_length = 0.4, off_along = 0.4, bend = 0.3, bend2 = 0.3;
  };

  void pass(const Molecules &molecules, const Layout &layout, const std::int32_t *rows, unsigned now, bool means,
            bool weights, bool deviations);
  void settle(std::vector<Values> &values) const;

  std::vector<Sums> sums_;
  std::vector<Values> values_;
};

}  // namespace gpz::lanes
