// SPDX-License-Identifier: BSD-3-Clause
// Electrons of a plasma with the wake of a beam: the end of a particle-in-cell run, with positions in cells.
//
// A short dense beam of electrons flies along z through a column of plasma with a density ramp at its entrance and a
// channel along its axis, and leaves a plasma wave of four wavelengths a box, with electrons that it throws out of the
// axis. Ions are at rest. The run is electrostatic: of a relativistic beam it has the inertia (a Lorentz factor of
// 1000), not the magnetic field (particle_in_cell.hpp). Electrons begin at random places of their cells, about eight a
// cell, and weigh as much as the density there.
//
// Particles are in the order that AMReX codes such as WarpX leave: boxes of 32 cells an edge, sorted by cells every
// four steps; electrons that came into a box since the last sort are after the others.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "options.hpp"
#include "parallel.hpp"
#include "particle_file.hpp"
#include "particle_in_cell.hpp"
#include "random.hpp"

namespace {

using namespace gpz::bench::data;  // NOLINT(google-build-using-namespace): a program of one file

constexpr double time_step = 0.1;         // in inverse plasma frequencies
constexpr double thermal_velocity = 0.3;  // cells per inverse plasma frequency: the Debye length in cells
constexpr double beam_density = 1.5;
constexpr float beam_mobility = 0.001F;
constexpr std::size_t sort_interval = 4;
constexpr double electrons_of_cell = 8;
constexpr double filled = 0.54;  // share of the cells that hold plasma, about

// An axis along z, twice as long as wide at most times.
std::array<std::size_t, 3> cells_for(std::size_t particles) {
  const double cells = static_cast<double>(particles) / electrons_of_cell / filled;
  const int bits = std::max(12, static_cast<int>(std::lround(std::log2(cells))));
  const int wide = bits / 3;
  return {std::size_t{1} << wide, std::size_t{1} << wide, std::size_t{1} << (bits - 2 * wide)};
}

double between(double low, double high, double x) { return std::clamp((x - low) / (high - low), 0.0, 1.0); }

// Positions as fractions of the box.
double plasma_density(double x, double y, double z) {
  const double radius = std::hypot(x - 0.5, y - 0.5) / 0.45;
  const double channel = (1 + 0.5 * radius * radius) * (1 - between(0.9, 1, radius));
  return channel * between(0.08, 0.25, z) * (1 - between(0.94, 0.96, z));
}

// Electrons are made in blocks, each with its own source of chance.
constexpr std::size_t block = 4096;

class Wake {
 public:
  Wake(std::size_t particles, std::uint64_t seed, unsigned threads)
      : cells_(cells_for(particles)), seed_(seed), threads_(threads), run_(cells_, threads) {
    beam_ = particles / 256;
    run_.electrons().resize(particles - beam_);
    make_plasma();
    run_.place_ions();
    run_.electrons().resize(particles);
    make_beam();
    run_.deposit();
  }

  void run(std::size_t steps) {
    for (std::size_t step = 0; step < steps; ++step) {
      if (step % sort_interval == 0) run_.sort_by_cell();
      run_.step(time_step);
    }
    run_.redistribute();
  }

  std::vector<std::vector<float>> positions() const {
    const std::vector<Electron> &electrons = run_.electrons();
    std::vector<std::vector<float>> axes(3, std::vector<float>(electrons.size()));
    for (std::size_t d = 0; d < 3; ++d)
      std::transform(electrons.begin(), electrons.end(), axes[d].begin(),
                     [d](const Electron &electron) { return electron.place[d]; });
    return axes;
  }

 private:
  double edge(std::size_t d) const { return static_cast<double>(cells_[d]); }

  Electron electron(std::array<double, 3> place, double charge) const {
    Electron made;
    for (std::size_t d = 0; d < 3; ++d) {
      place[d] -= edge(d) * std::floor(place[d] / edge(d));
      made.place[d] = static_cast<float>(place[d]);
      if (made.place[d] >= static_cast<float>(edge(d))) made.place[d] = 0;  // rounded up
    }
    made.charge = std::max(1, static_cast<std::int32_t>(charge * unit_charge));
    return made;
  }

  // Calls make(random, i) for the electrons from `first` on.
  template <class Make>
  void in_blocks(std::size_t first, std::uint64_t seed, const Make &make) {
    std::vector<Electron> &electrons = run_.electrons();
    in_pieces(threads_, electrons.size() - first, block, [&](std::size_t begin, std::size_t end) {
      Random random(mixed(seed) + begin);
      for (std::size_t i = begin; i < end; ++i) electrons[first + i] = make(random, i);
    });
  }

  void make_plasma() {
    std::vector<std::array<std::size_t, 3>> full;  // cells with plasma in the middle
    for (std::size_t z = 0; z < cells_[2]; ++z)
      for (std::size_t y = 0; y < cells_[1]; ++y)
        for (std::size_t x = 0; x < cells_[0]; ++x)
          if (density(middle(x), middle(y), middle(z)) > 0) full.push_back({x, y, z});
    const std::size_t count = run_.electrons().size();
    const double volume = static_cast<double>(full.size()) / static_cast<double>(count);
    in_blocks(0, seed_, [&](Random &random, std::size_t i) {
      std::array<double, 3> place{};
      for (std::size_t d = 0; d < 3; ++d)
        place[d] = static_cast<double>(full[i * full.size() / count][d]) + random.uniform();
      Electron made = electron(place, volume * density(place[0], place[1], place[2]));
      for (float &velocity : made.velocity) velocity = static_cast<float>(thermal_velocity * random.bell());
      return made;
    });
  }

  // A Gaussian, a sixteenth of the box wide and half a wavelength of the wake long in all.
  void make_beam() {
    const std::array<double, 3> width = {edge(0) / 16, edge(1) / 16, edge(2) / 32};
    const double charge = beam_density * std::pow(2 * M_PI, 1.5) * width[0] * width[1] * width[2];
    const double wave_length = edge(2) / 4;
    in_blocks(run_.electrons().size() - beam_, seed_ + 1, [&](Random &random, std::size_t) {
      const std::array<double, 3> place = {edge(0) / 2 + width[0] * random.bell(),
                                           edge(1) / 2 + width[1] * random.bell(),
                                           edge(2) / 10 + width[2] * random.bell()};
      Electron made = electron(place, charge / static_cast<double>(beam_));
      made.velocity[2] = static_cast<float>(wave_length / (2 * M_PI));
      made.mobility = beam_mobility;
      return made;
    });
  }

  static double middle(std::size_t cell) { return static_cast<double>(cell) + 0.5; }
  double density(double x, double y, double z) const { return plasma_density(x / edge(0), y / edge(1), z / edge(2)); }

  std::array<std::size_t, 3> cells_;
  std::uint64_t seed_;
  unsigned threads_;
  std::size_t beam_ = 0;  // electrons, the last ones
  ParticleInCell run_;
};

}  // namespace

int main(int argc, char **argv) {
  Program program("Electrons of a plasma in the wake of a beam, from a particle-in-cell run");
  std::size_t particles = 16777216;
  std::size_t steps = 192;
  program.option("--particles", particles, "electrons").range(1000, 1000000000);
  program.option("--steps", steps, "of 0.1 inverse plasma frequencies; the beam flies through the box in 251")
      .range(1, 100000);
  return program.run(argc, argv, [&] {
    Wake wake(particles, program.seed(), program.threads());
    wake.run(steps);
    write_particles(
        program.out(), wake.positions(),
        {"electrons of a plasma column in the wake of a beam, electrostatic particle-in-cell, in cells",
         program.source(),
         "boxes of 32 cells an edge, x fastest; in a box by cells as of the last of the sorts every four steps, "
         "then those that came since"});
  });
}
