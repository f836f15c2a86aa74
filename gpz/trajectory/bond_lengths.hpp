// SPDX-License-Identifier: BSD-3-Clause
// The period of an axis from one frame: bonds that go through the edge are as long as the others.
#pragma once

#include <cstddef>
#include <vector>

#include "gpz/crystal/vector3.hpp"

namespace gpz::trajectory {

// How frequent each length of bonds is.
class BondLengths {
 public:
  // Of all ways between particles of neighbouring slots, some of which are bonds. There is one at least.
  explicit BondLengths(std::vector<double> lengths);

  // No bond is longer.
  double longest() const { return longest_; }
  // The period near `range`, with which ways across a straight edge of this axis, upwards, are of frequent lengths; 0
  // if none stands out.
  double period(const std::vector<crystal::Vector3> &across, std::size_t axis, double range) const;

 private:
  std::size_t part_of(double length) const;
  double likelihood(const std::vector<crystal::Vector3> &across, std::size_t axis, double period) const;

  double longest_ = 0;
  std::vector<double> likelihood_;  // of lengths in equal parts of the longest, 0 if they are rare
};

}  // namespace gpz::trajectory
