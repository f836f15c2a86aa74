// SPDX-License-Identifier: BSD-3-Clause
#include "bench/generators.hpp"

#include "bench/random.hpp"

namespace gpz::bench {

Cloud generate_melt(const CloudShape &shape, std::uint64_t seed) {
  constexpr double cell_edge = 1.68;
  constexpr std::size_t members = 4;
  std::size_t cells = 0;  // along an edge
  while (members * cells * cells * cells < shape.particles) ++cells;
  Cloud cloud(shape.type, shape.layout, 3, shape.particles);
  Random random(seed);
  for (std::size_t p = 0; p < shape.particles; ++p) {
    const std::size_t cell = p / members;
    const std::size_t at[3] = {cell % cells, cell / cells % cells, cell / cells / cells};
    for (int d = 0; d < 3; ++d) cloud.set(p, d, cell_edge * (static_cast<double>(at[d]) + random.uniform()));
  }
  return cloud;
}

Cloud generate_uniform(const CloudShape &shape, std::uint64_t seed) {
  Cloud cloud(shape.type, shape.layout, 3, shape.particles);
  Random random(seed);
  for (std::size_t p = 0; p < shape.particles; ++p)
    for (int d = 0; d < 3; ++d) cloud.set(p, d, random.uniform(0, 100));
  return cloud;
}

const std::vector<Generator> &generators() {
  static const std::vector<Generator> all = {
      {"melt", "synthetic melt: cells of 1.68 with four particles each, no LAMMPS run", "cell after cell",
       generate_melt},
      {"uniform", "uniform in a cube of 100, random order", "random", generate_uniform},
      {"clustered", "haloes and background in a periodic box of 256, cell order",
       "cell after cell, halo by halo in a cell", generate_clustered},
      {"terrain", "airborne laser scan, flight-line order, metres", "by time of measurement: scan lines in zigzag",
       generate_terrain},
      {"orbits", "Kepler disk in 2-D, ordered by semi-major axis", "by semi-major axis", generate_orbits}};
  return all;
}

}  // namespace gpz::bench
