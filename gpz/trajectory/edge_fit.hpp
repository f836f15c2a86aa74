// SPDX-License-Identifier: BSD-3-Clause
// Fits an edge of a periodic cell to bonds across it, which keep their length.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gpz/crystal/vector3.hpp"

namespace gpz::trajectory {

using crystal::operator+;
using crystal::operator-;
using crystal::operator*;

// An estimated edge. Edge `axis` has components 0 to `axis`; the others are 0.
struct EdgeEstimate {
  crystal::Vector3 edge{};
  crystal::Vector3 error{};  // standard error of each component
  bool is_exact = false;     // from bonds, not from jumps

  // Merges the estimate of another frame, weighted by its certainty. If the two differ by more than their errors, the
  // box has changed.
  void update(const EdgeEstimate &found, std::size_t axis);
};

// A bond with its particles on opposite sides of the cell, and the same bond when they were on one side.
struct BondAcross {
  crystal::Vector3 across;  // upwards
  crystal::Vector3 direct;
};

// Finds the edge for which most bonds keep their length; stiff bonds count most. Returns nothing if there are too few
// bonds. `known`: an estimate to start from.
std::optional<EdgeEstimate> fit_edge(const std::vector<BondAcross> &bonds, std::size_t axis,
                                     const crystal::Vector3 &known);

}  // namespace gpz::trajectory
