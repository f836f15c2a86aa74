// SPDX-License-Identifier: BSD-3-Clause
// Positions on the grid as a set of particles near the sites of a lattice (docs/format.md, section 10e).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/core/lattice.hpp"

namespace gpz::cpu {

// Places in units of the grid step, one column a component.
using PlaceColumns = std::array<const double *, core::max_components>;

struct Lattice {
  struct Sublattice {
    core::SitePlace origin{};  // the site of cell 0
    std::vector<core::SiteNeighbour> neighbours;
    // Of the deviations of the neighbours: for each component that is expected, for each neighbour, for each of its
    // components, in units of 2^-weight_fraction.
    std::vector<std::int16_t> weights;
  };

  int components = 0;
  core::SiteWindow window;
  std::array<core::SitePlace, core::max_components> edge{};  // of a cell
  // Cells along the second and third edge: from first on, count of them.
  struct Cells {
    std::int32_t first = 0;
    std::uint32_t count = 1;
  };
  std::array<Cells, core::max_components> cells{};  // that of the first edge is not used
  std::vector<Sublattice> sublattices;
};

// Appends the set of n > 0 places q[0..components); order[i] becomes the particle that is decoded as number i. `value`:
// what the indices were rounded from, by which sites are found on a grid that is coarser than the crystal. False, with
// nothing appended, if the particles are no crystal, or one that this code does not serve. Throws std::bad_alloc.
bool encode_lattice(const IndexColumns &q, const PlaceColumns &value, std::size_t n, int components, const GridBox &box,
                    std::vector<std::uint32_t> &order, std::vector<std::uint8_t> &bytes);

// Reads what encode_lattice appended, all of it, for n > 0 particles. Throws corrupt, std::bad_alloc.
void decode_lattice(const std::uint8_t *bytes, std::size_t size, std::size_t n, int components, const IndexOutput &q);

}  // namespace gpz::cpu
