// SPDX-License-Identifier: BSD-3-Clause
// Dark matter of a cosmological simulation, made by one: a particle-mesh run from redshift 49 to today.
//
//   cosmology --box 1000 --order cells --out cosmology_coarse.f32        # weak clustering, sorted as domains and cells
//   cosmology --box 64 --order lagrangian --out cosmology_fine.f32       # haloes, in the order of the initial grid
//
// Initial conditions are those of Zel'dovich with the power spectrum of Eisenstein and Hu (universe.hpp has the
// parameters); the mesh has twice as many cells along an edge as there are particles, which softens haloes at half
// the distance of particles. Positions are in Mpc/h. The bytes do not depend on the number of threads.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "nbody.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "particle_file.hpp"

namespace {

using namespace gpz::bench::data;  // NOLINT(google-build-using-namespace): the program is of that library

constexpr std::size_t ranks = 4;      // along an edge
constexpr std::size_t cell_edge = 4;  // of the chaining mesh, in mean distances of particles

// The number of the particle's cell, if each rank numbers the cells of its block, x fastest, and ranks follow one
// another.
struct CellNumber {
  std::size_t ranks_;  // along an edge
  std::size_t cells_;  // of a rank, along an edge
  double scale_;       // cells per cell of the simulation's mesh

  std::size_t count() const { return ranks_ * ranks_ * ranks_ * cells_ * cells_ * cells_; }
  std::size_t operator()(const Particles &particles, std::size_t i) const {
    std::size_t rank = 0;
    std::size_t cell = 0;
    for (std::size_t axis = 3; axis-- > 0;) {
      const auto place = std::min(static_cast<std::size_t>(particles.position[axis][i] * scale_), ranks_ * cells_ - 1);
      rank = rank * ranks_ + place / cells_;
      cell = cell * cells_ + place % cells_;
    }
    return rank * cells_ * cells_ * cells_ + cell;
  }
};

CellNumber cells_of(const Settings &run, std::size_t cells_along_edge, std::size_t ranks_along_edge) {
  return {ranks_along_edge, cells_along_edge / ranks_along_edge,
          static_cast<double>(cells_along_edge) / static_cast<double>(run.mesh)};
}

// Stable: within a cell the particles keep the order of the initial grid.
std::vector<std::size_t> order_of_cells(const Particles &particles, const CellNumber &number) {
  std::vector<std::size_t> begin(number.count() + 1);
  for (std::size_t i = 0; i < particles.size(); ++i) ++begin[number(particles, i) + 1];
  for (std::size_t c = 1; c < begin.size(); ++c) begin[c] += begin[c - 1];
  std::vector<std::size_t> order(particles.size());
  for (std::size_t i = 0; i < particles.size(); ++i) order[begin[number(particles, i)]++] = i;
  return order;
}

// How far structure has formed, in words: by counts in cells whose edge is two mean distances of particles.
std::string clustering(const Particles &particles, const Settings &run) {
  const CellNumber number = cells_of(run, run.size / 2, 1);
  std::vector<std::uint32_t> counts(number.count());
  for (std::size_t i = 0; i < particles.size(); ++i) ++counts[number(particles, i)];
  constexpr double mean = 8;
  double squares = 0;
  double dense = 0;
  for (const std::uint32_t count : counts) {
    squares += (count - mean) * (count - mean);
    if (count > 200 * mean) dense += count;
  }
  std::array<char, 160> text{};
  std::snprintf(
      text.data(), text.size(),
      "in cells of %.3g Mpc/h the overdensity has rms %.2f, and %.1f %% of the particles are in cells of more "
      "than 200 times the mean",
      2 * run.box / static_cast<double>(run.size), std::sqrt(squares / static_cast<double>(counts.size())) / mean,
      100 * dense / static_cast<double>(particles.size()));
  return text.data();
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

}  // namespace

int main(int argc, char **argv) {
  Program program("Dark matter particles of a particle-mesh simulation, at redshift 0");
  Settings run;
  std::size_t mesh_factor = 2;
  double redshift = 49;
  std::string order = "cells";
  program.option("--size", run.size, "particles along an edge, a power of two").range(16, 1024);
  program.option("--mesh", mesh_factor, "cells of the mesh along an edge, in units of size").one_of({"1", "2", "4"});
  program.option("--box", run.box, "edge, Mpc/h").positive();
  program.option("--start", redshift, "redshift at which the run begins").positive();
  program.option("--steps", run.steps, "steps of time").range(1, 10000);
  program.option("--order", order, "of particles in memory").one_of({"cells", "lagrangian"});
  return program.run(argc, argv, [&] {
    run.mesh = run.size * mesh_factor;
    run.start = 1 / (1 + redshift);
    run.seed = program.seed();
    run.threads = program.threads();
    const Universe universe;
    Particles particles = zeldovich(universe, run);
    simulate(universe, run, particles);
    particles.momentum = {};

    About about;
    about.description = "dark matter of a particle-mesh simulation in a periodic box of " + number_text(run.box) +
                        " Mpc/h at redshift 0, in Mpc/h; " + clustering(particles, run);
    about.source = program.source();
    about.order = "Lagrangian: the order of the initial grid, x fastest";
    std::vector<std::size_t> from;
    if (order == "cells") {
      from = order_of_cells(particles, cells_of(run, run.size / cell_edge, ranks));
      about.order =
          "ranks, each a block of a quarter of the box's edge, x fastest; in a rank by cells of a chaining mesh "
          "of edge " +
          number_text(run.box * cell_edge / static_cast<double>(run.size)) +
          " Mpc/h, x fastest; in a cell by place in the initial grid";
    }
    const auto scale = static_cast<float>(run.box / static_cast<double>(run.mesh));
    std::vector<std::vector<float>> axes(3);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      axes[axis].resize(particles.size());
      in_pieces(run.threads, particles.size(), 1 << 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          axes[axis][i] = particles.position[axis][from.empty() ? i : from[i]] * scale;
      });
    }
    write_particles(program.out(), axes, about);
    std::printf("%s: %zu particles; %s\n", program.out().c_str(), axes[0].size(), about.description.c_str());
  });
}
