// SPDX-License-Identifier: BSD-3-Clause
// Finds the period of an axis from one frame: with the right period, bonds across the edge are as long as other bonds.
#pragma once

#include <cstddef>
#include <vector>

#include "gpz/crystal/vector3.hpp"

namespace gpz::trajectory {

class BondLengths {
 public:
  // Takes the lengths of vectors between particles in neighbouring slots, at least one, some of which are bonds.
  explicit BondLengths(std::vector<double> lengths);

  // Upper limit of bond lengths.
  double longest() const { return longest_; }
  // Finds the period near `range` for which vectors across a straight edge of this axis, pointing upwards, have
  // frequent lengths. 0 if no period stands out.
  double period(const std::vector<crystal::Vector3> &across, std::size_t axis, double range) const;

 private:
  std::size_t part_of(double length) const;
  double likelihood(const std::vector<crystal::Vector3> &across, std::size_t axis, double period) const;

  double longest_ = 0;
  std::vector<double> likelihood_;  // by length, in equal parts of longest_; 0 for rare lengths
};

}  // namespace gpz::trajectory
