// SPDX-License-Identifier: BSD-3-Clause
// Poincare points of magnetic field lines: where lines of a tokamak pierce one poloidal plane, turn after turn, R and Z
// in metres. Nested surfaces in the core, islands at q = 3/2 and 2, chaos at the edge (field_lines.hpp).
//
//   poincare --particles 16000000 --out poincare.f32
//
// Lines begin on surfaces from the axis to the edge, evenly in radius, at random angles. A line that leaves the plasma
// ends; another one then begins on the same surface, at another angle, until the surface has its turns. The bytes do
// not depend on the number of threads.
#include <cmath>
#include <cstdio>

#include "field_lines.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "particle_file.hpp"
#include "random.hpp"

namespace {

using namespace gpz::bench::data;  // NOLINT(google-build-using-namespace): the program is of that library

constexpr double wall = 1.05;  // flux

}  // namespace

int main(int argc, char **argv) {
  Program program("Poincare points of magnetic field lines in a tokamak");
  std::size_t particles = 16000000;
  std::size_t turns = 4000;
  double perturbation = 1;
  program.option("--particles", particles, "points").positive();
  program.option("--turns", turns, "points of a line").positive();
  program.option("--perturbation", perturbation, "0: no islands; 1: islands, chaos at the edge; 2: mostly chaos")
      .range(0.0, 4.0);
  return program.run(argc, argv, [&] {
    const FieldLines lines(perturbation);
    std::vector<std::vector<float>> axes(2, std::vector<float>(particles));
    const std::size_t surfaces = (particles + turns - 1) / turns;
    in_pieces(program.threads(), particles, turns, [&](std::size_t begin, std::size_t end) {
      const std::size_t surface = begin / turns;
      const double radius = (static_cast<double>(surface) + 0.5) / static_cast<double>(surfaces);
      Random random(mixed(program.seed()) + surface);
      Puncture at{};
      for (std::size_t i = begin; i < end; ++i) {
        if (i > begin) at = lines.turn(at);
        if (i == begin || at.flux > wall) at = {radius * radius, random.uniform(-M_PI, M_PI)};
        const Place point = place(at);
        axes[0][i] = static_cast<float>(point.r);
        axes[1][i] = static_cast<float>(point.z);
      }
    });
    About about;
    about.description = "Poincare points of magnetic field lines in a tokamak: R and Z in metres, " +
                        std::to_string(surfaces) + " surfaces of " + std::to_string(turns) + " turns";
    about.source = program.source();
    about.order = "line after line from the axis to the edge, turn after turn";
    write_particles(program.out(), axes, about);
    std::printf("%s: %zu points; %s\n", program.out().c_str(), particles, about.description.c_str());
  });
}
