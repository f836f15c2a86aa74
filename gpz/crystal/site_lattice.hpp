// SPDX-License-Identifier: BSD-3-Clause
// A lattice of cells, with sublattices that have one site in each cell (docs/format.md, section 10e). Not to be
// confused with SpringLattice, which has the vectors between neighbours.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/crystal/lattice.hpp"
#include "gpz/crystal/vector3.hpp"

namespace gpz::crystal {

// Converts to and from grid steps.
inline Vector3 in_steps(const core::SitePosition &position) {
  constexpr double unit = 1.0 / (std::int64_t{1} << core::site_fraction);
  return {static_cast<double>(position[0]) * unit, static_cast<double>(position[1]) * unit,
          static_cast<double>(position[2]) * unit};
}
inline core::SitePosition site_position(const Vector3 &x) {
  core::SitePosition position{};
  for (std::size_t d = 0; d < position.size(); ++d)
    position[d] = static_cast<std::int64_t>(std::floor(x[d] * double{1 << core::site_fraction} + 0.5));
  return position;
}

// Positions in grid steps, one column for each component.
using PositionColumns = std::array<const double *, core::max_components>;

struct SiteLattice {
  struct Sublattice {
    core::SitePosition origin{};  // site of cell 0
    std::vector<core::SiteNeighbour> neighbours;
    // Weights of the neighbours' deviations in units of 2^-weight_fraction, indexed by the expected component, the
    // neighbour, and the component of the neighbour.
    std::vector<std::int16_t> weights;
  };

  int components = 0;
  core::SiteWindow window;
  std::array<core::SitePosition, core::max_components> edge{};  // of a cell
  struct Cells {
    std::int32_t first = 0;
    std::uint32_t count = 1;
  };
  std::array<Cells, core::max_components> cells{};  // the first edge is not used
  std::vector<Sublattice> sublattices;
};

// Header of a section, before its coded numbers.
struct SiteSection {
  static constexpr int max_shift = 40;

  core::GridBox box{};
  std::array<std::int64_t, core::max_components> margin{};  // largest distance of particles beyond a periodic edge
  std::array<std::uint8_t, core::max_components> shift{};   // low bits of a residual number that are stored raw
  SiteLattice lattice;
};

}  // namespace gpz::crystal
