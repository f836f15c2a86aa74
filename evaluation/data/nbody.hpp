// SPDX-License-Identifier: BSD-3-Clause
// A particle-mesh simulation of collisionless matter in a periodic, expanding box.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fft.hpp"
#include "universe.hpp"

namespace gpz::bench::data {

// Positions in cells of the mesh, momenta a^2 dx/dt in cells x H0; in the order of their places in the initial grid.
struct Particles {
  std::array<std::vector<float>, 3> position;
  std::array<std::vector<float>, 3> momentum;

  std::size_t size() const { return position[0].size(); }
};

struct Settings {
  std::size_t size = 256;  // size^3 particles, a power of two
  std::size_t mesh = 512;  // cells of the mesh along an edge, a power of two
  double box = 1000;       // edge, Mpc/h
  double start = 0.02;     // a
  int steps = 40;          // to a = 1
  std::uint64_t seed = 1;
  unsigned threads = 1;
};

// The Zel'dovich approximation at run.start: Gaussian noise of the universe's power spectrum, size^3 particles on a
// grid, displaced by the waves and with their velocities. The same noise for any mesh.
Particles zeldovich(const Universe &universe, const Settings &run);

// Gravity: cloud-in-cell deposit, Poisson's equation by Fourier transform, forces by differences of fourth order. The
// width of clouds is undone once of twice, in deposit and force: then all waves of the initial grid grow as they
// should, within 5 %. The sum of the deposit is one of integers, so that its order does not matter.
class Gravity {
 public:
  // `mesh`: cells along an edge.
  Gravity(std::size_t mesh, unsigned threads);

  // The potential of the particles: its Laplacian is `strength` times the overdensity.
  void solve(const Particles &particles, double strength);
  // Momenta change by -time x the gradient of the potential.
  void kick(Particles &particles, double time) const;

 private:
  std::size_t mesh_;
  unsigned threads_;
  Fft fft_;
  std::vector<float> potential_;
  std::unique_ptr<std::atomic<std::int32_t>[]> mass_;
  std::vector<double> wave_;       // k of each wave along an axis, per cell
  std::vector<double> sharpness_;  // what undoes the width of clouds in the deposit
};

// Positions change by time x momentum, and stay in the box.
void drift(Particles &particles, std::size_t mesh, double time, unsigned threads);

// From run.start to a = 1 in leapfrog steps of equal length in the root of a.
void simulate(const Universe &universe, const Settings &run, Particles &particles);

}  // namespace gpz::bench::data
