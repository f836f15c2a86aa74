// SPDX-License-Identifier: BSD-3-Clause
// The points of an airborne laser scan (laser_scan.hpp):
//
//   terrain --particles 16000000 --out terrain.f32
#include <cstdio>

#include "laser_scan.hpp"
#include "options.hpp"
#include "particle_file.hpp"

int main(int argc, char **argv) {
  using namespace gpz::bench::data;  // NOLINT(google-build-using-namespace): the program is of that library
  Program program("An airborne laser scan of made-up ground with trees");
  std::size_t particles = 16000000;
  program.option("--particles", particles, "points").positive();
  return program.run(argc, argv, [&] {
    std::vector<std::vector<float>> axes(3, std::vector<float>(particles));
    const auto points = laser_scan(particles, program.seed());
    for (std::size_t i = 0; i < particles; ++i)
      for (std::size_t d = 0; d < 3; ++d) axes[d][i] = static_cast<float>(points[i][d]);
    About about;
    about.description = "airborne laser scan of made-up ground with trees, metres";
    about.source = program.source();
    about.order = "by time of measurement: scan lines in zigzag";
    write_particles(program.out(), axes, about);
    std::printf("%s: %zu points; %s\n", program.out().c_str(), particles, about.description.c_str());
  });
}
