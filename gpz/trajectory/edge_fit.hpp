// SPDX-License-Identifier: BSD-3-Clause
// An edge of a periodic cell from bonds that go through it: they keep their length.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gpz/crystal/vector3.hpp"

namespace gpz::trajectory {

using crystal::operator+;
using crystal::operator-;
using crystal::operator*;

// An edge as it is known. Edge `axis` has components 0 to `axis`; the others are 0.
struct EdgeEstimate {
  crystal::Vector3 edge{};
  crystal::Vector3 error{};  // the standard error of each component
  bool is_exact = false;     // by bonds, not by jumps

  // Takes over what another frame says, which counts as much as it is certain. Where the two differ by more than they
  // are uncertain, the box has changed.
  void update(const EdgeEstimate &found, std::size_t axis);
};

// A bond whose particles are on both sides of the cell, and the same one when they were on one side.
struct BondAcross {
  crystal::Vector3 across;  // upwards
  crystal::Vector3 direct;
};

// The edge with which most bonds keep their length, those that hardly change counting most; nothing if there are too
// few. `known`: where it may be.
std::optional<EdgeEstimate> fit_edge(const std::vector<BondAcross> &bonds, std::size_t axis,
                                     const crystal::Vector3 &known);

}  // namespace gpz::trajectory
