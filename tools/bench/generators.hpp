// SPDX-License-Identifier: BSD-3-Clause
// Point clouds of several kinds, in the memory order that such data has where it is made. The same particles, seed,
// type and layout give the same bytes on every machine. docs/bench.md describes them for users.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/cloud.hpp"

namespace gpz::bench {

struct CloudShape {
  std::size_t particles = 0;
  ValueType type = ValueType::float32;
  Layout layout = Layout::aos;
};

// Cells of 1.68 sigma with four particles each, i fastest: density and memory order of a Lennard-Jones melt that LAMMPS
// sorted, without its correlations. The last cells are left out if `particles` is not 4 * cells^3.
Cloud generate_melt(const CloudShape &shape, std::uint64_t seed);

// Anywhere in a cube of 100, in random order: the worst case, as no particle says anything about the next.
Cloud generate_uniform(const CloudShape &shape, std::uint64_t seed);

// 70 % in haloes of a periodic box of 256 (numbers of members as m^-2, from 20 to particles / 50; density profile of
// Hernquist 1990, cut at ten scale radii), the rest anywhere; in the order of cells of about 32 particles, x fastest,
// and inside a cell halo by halo.
Cloud generate_clustered(const CloudShape &shape, std::uint64_t seed);

// A laser scan from the air, in metres: parallel strips 400 apart flown back and forth, scan lines across them in
// zigzag with 1,000 points 0.5 apart, heights of eight octaves of value noise, vegetation up to 25 high, 5 mm of noise.
Cloud generate_terrain(const CloudShape &shape, std::uint64_t seed);

// Two components: a disk of bodies on Kepler ellipses around the origin, ordered by semi-major axis (0.4 to 30),
// eccentricities up to 0.1.
Cloud generate_orbits(const CloudShape &shape, std::uint64_t seed);

struct Generator {
  const char *name;
  const char *description;
  const char *order;  // in memory
  Cloud (*generate)(const CloudShape &, std::uint64_t);
};
const std::vector<Generator> &generators();

}  // namespace gpz::bench
