// SPDX-License-Identifier: BSD-3-Clause
#include "nbody.hpp"

#include <algorithm>
#include <cmath>

#include "cloud_in_cell.hpp"
#include "parallel.hpp"
#include "random.hpp"

namespace gpz::bench::data {
namespace {

constexpr std::size_t grain = 1 << 16;  // particles a piece of work
constexpr float unit_mass = 65536;      // of a particle; a cell holds fewer than 32,768 of them

// Angular frequency of each wave along an axis of n cells, per cell.
std::vector<double> frequencies(std::size_t n) {
  std::vector<double> k(n);
  for (std::size_t i = 0; i < n; ++i)
    k[i] = 2 * M_PI * (static_cast<double>(i) - (i > n / 2 ? static_cast<double>(n) : 0.0)) / static_cast<double>(n);
  return k;
}

// Calls work(kx, ky, kz, pair) for all waves of a mesh with n cells along each edge: indices, and the place of the
// pair.
template <typename Work>
void for_waves(std::size_t n, unsigned threads, float *mesh, const Work &work) {
  in_pieces(threads, n, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t z = begin; z < end; ++z)
      for (std::size_t y = 0; y < n; ++y)
        for (std::size_t x = 0; x <= n / 2; ++x) work(x, y, z, mesh + (z * n + y) * (n + 2) + 2 * x);
  });
}

// White noise, its waves weighted by the root of the power spectrum: the overdensity of today, by linear theory.
std::vector<float> initial_waves(const Universe &universe, const Settings &run, const Fft &fft) {
  const std::size_t n = run.size;
  std::vector<float> waves(fft.size());
  in_pieces(run.threads, n * n, n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      Random random(mixed(run.seed) + row);
      for (std::size_t x = 0; x < n; ++x) waves[row * fft.row() + x] = static_cast<float>(random.bell());
    }
  });
  fft.forward(waves.data());
  const PowerSpectrum power(universe);
  const std::vector<double> k = frequencies(n);
  const double cells = static_cast<double>(n) / run.box;  // per Mpc/h
  for_waves(n, run.threads, waves.data(), [&](std::size_t x, std::size_t y, std::size_t z, float *pair) {
    const double wave = std::sqrt(k[x] * k[x] + k[y] * k[y] + k[z] * k[z]) * cells;
    const double factor = wave == 0 ? 0 : std::sqrt(power(wave) * cells * cells * cells);
    pair[0] = static_cast<float>(pair[0] * factor);
    pair[1] = static_cast<float>(pair[1] * factor);
  });
  return waves;
}

// The cells along an axis that a force is interpolated from, -2 .. 3 from the cloud's.
constexpr int taps = 6;

struct Taps {
  Taps(const Cloud &cloud, std::size_t mesh, std::size_t stride) {
    for (std::size_t t = 0; t < taps; ++t) place[t] = ((cloud.cell + t + mesh - 2) & (mesh - 1)) * stride;
    const float here = 1 - cloud.next;
    const float there = cloud.next;
    // The slope at a cell is (f(-2) - 8 f(-1) + 8 f(1) - f(2)) / 12.
    slope = {here / 12, (there - 8 * here) / 12, -8 * there / 12, 8 * here / 12, (8 * there - here) / 12, -there / 12};
    weight = {0, 0, here, there, 0, 0};
  }
  std::array<std::size_t, taps> place;
  std::array<float, taps> slope;
  std::array<float, taps> weight;
};

}  // namespace

Particles zeldovich(const Universe &universe, const Settings &run) {
  const std::size_t n = run.size;
  const Fft fft(n, n, n, run.threads);
  const std::vector<float> waves = initial_waves(universe, run, fft);
  const std::vector<double> k = frequencies(n);
  const double growth = universe.growth(run.start);
  const double speed = run.start * run.start * universe.rate(run.start) * universe.growth_rate(run.start);
  const double cells = static_cast<double>(run.mesh) / static_cast<double>(n);  // of the mesh, between two particles
  Particles particles;
  std::vector<float> shift(fft.size());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // i k / k^2 of the overdensity. The wave of two cells has no slope at the places of the grid.
    in_pieces(run.threads, shift.size(), grain, [&](std::size_t begin, std::size_t end) {
      std::copy(&waves[begin], &waves[begin] + (end - begin), &shift[begin]);
    });
    for_waves(n, run.threads, shift.data(), [&](std::size_t x, std::size_t y, std::size_t z, float *pair) {
      const std::array<std::size_t, 3> index = {x, y, z};
      const double square = k[x] * k[x] + k[y] * k[y] + k[z] * k[z];
      const double factor = square == 0 || index[axis] == n / 2 ? 0 : k[index[axis]] / square;
      const float re = pair[0];
      pair[0] = static_cast<float>(-pair[1] * factor);
      pair[1] = static_cast<float>(re * factor);
    });
    fft.backward(shift.data());
    const double scale = growth * cells / (static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n));
    std::vector<float> &position = particles.position[axis];
    std::vector<float> &momentum = particles.momentum[axis];
    position.resize(n * n * n);
    momentum.resize(n * n * n);
    in_pieces(run.threads, n * n, n, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row)
        for (std::size_t x = 0; x < n; ++x) {
          const std::array<std::size_t, 3> index = {x, row % n, row / n};
          const double moved = shift[row * fft.row() + x] * scale;
          // Between cells of the mesh, where a small shift changes the deposit in proportion.
          const double place = static_cast<double>(index[axis]) * cells + 0.5 + moved;
          position[row * n + x] = wrapped(static_cast<float>(place), static_cast<float>(run.mesh));
          momentum[row * n + x] = static_cast<float>(moved * speed);
        }
    });
  }
  return particles;
}

Gravity::Gravity(std::size_t mesh, unsigned threads)
    : mesh_(mesh),
      threads_(threads),
      fft_(mesh, mesh, mesh, threads),
      potential_(fft_.size()),
      mass_(new std::atomic<std::int32_t>[mesh * mesh * mesh]),
      wave_(frequencies(mesh)) {
  for (const double k : wave_) {
    const double width = k == 0 ? 1 : std::sin(k / 2) / (k / 2);
    sharpness_.push_back(1 / (width * width));
  }
}

void Gravity::solve(const Particles &particles, double strength) {
  const std::size_t n = mesh_;
  in_pieces(threads_, n * n * n, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) mass_[i].store(0, std::memory_order_relaxed);
  });
  in_pieces(threads_, particles.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Cloud x(particles.position[0][i]);
      const Cloud y(particles.position[1][i]);
      const Cloud z(particles.position[2][i]);
      const std::size_t right = (x.cell + 1) & (n - 1);
      for (std::size_t corner = 0; corner < 4; ++corner) {
        const bool up = (corner & 1) != 0;
        const bool back = (corner & 2) != 0;
        const std::size_t row = (((z.cell + (back ? 1 : 0)) & (n - 1)) * n + ((y.cell + (up ? 1 : 0)) & (n - 1))) * n;
        const float part = (up ? y.next : 1 - y.next) * (back ? z.next : 1 - z.next) * unit_mass;
        const auto both = static_cast<std::int32_t>(part);
        const auto there = static_cast<std::int32_t>(part * x.next);
        mass_[row + x.cell].fetch_add(both - there, std::memory_order_relaxed);
        mass_[row + right].fetch_add(there, std::memory_order_relaxed);
      }
    }
  });
  in_pieces(threads_, n * n, n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row)
      for (std::size_t x = 0; x < n; ++x)
        potential_[row * fft_.row() + x] =
            static_cast<float>(mass_[row * n + x].load(std::memory_order_relaxed)) / unit_mass;
  });
  fft_.forward(potential_.data());
  // Particles a cell, and the transforms' factor n^3, leave n^3 / particles / n^3.
  const double scale = -strength / static_cast<double>(particles.size());
  for_waves(n, threads_, potential_.data(), [&](std::size_t x, std::size_t y, std::size_t z, float *pair) {
    const double square = wave_[x] * wave_[x] + wave_[y] * wave_[y] + wave_[z] * wave_[z];
    const double factor = square == 0 ? 0 : scale * sharpness_[x] * sharpness_[y] * sharpness_[z] / square;
    pair[0] = static_cast<float>(pair[0] * factor);
    pair[1] = static_cast<float>(pair[1] * factor);
  });
  fft_.backward(potential_.data());
}

void Gravity::kick(Particles &particles, double time) const {
  const auto factor = static_cast<float>(-time);
  in_pieces(threads_, particles.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Taps x(Cloud(particles.position[0][i]), mesh_, 1);
      const Taps y(Cloud(particles.position[1][i]), mesh_, fft_.row());
      const Taps z(Cloud(particles.position[2][i]), mesh_, fft_.row() * mesh_);
      float gx = 0;
      float gy = 0;
      float gz = 0;
      for (std::size_t c = 0; c < taps; ++c) {
        for (std::size_t b = 0; b < taps; ++b) {
          const bool b_in = b == 2 || b == 3;
          const bool c_in = c == 2 || c == 3;
          if (!b_in && !c_in) continue;
          const float *row = &potential_[z.place[c] + y.place[b]];
          const float value = row[x.place[2]] * x.weight[2] + row[x.place[3]] * x.weight[3];
          gy += value * y.slope[b] * z.weight[c];
          gz += value * y.weight[b] * z.slope[c];
          if (!b_in || !c_in) continue;
          float slope = 0;
          for (std::size_t a = 0; a < taps; ++a) slope += row[x.place[a]] * x.slope[a];
          gx += slope * y.weight[b] * z.weight[c];
        }
      }
      particles.momentum[0][i] += factor * gx;
      particles.momentum[1][i] += factor * gy;
      particles.momentum[2][i] += factor * gz;
    }
  });
}

void drift(Particles &particles, std::size_t mesh, double time, unsigned threads) {
  const auto factor = static_cast<float>(time);
  const auto edge = static_cast<float>(mesh);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<float> &position = particles.position[axis];
    const std::vector<float> &momentum = particles.momentum[axis];
    in_pieces(threads, position.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) position[i] = wrapped(position[i] + factor * momentum[i], edge);
    });
  }
}

void simulate(const Universe &universe, const Settings &run, Particles &particles) {
  Gravity gravity(run.mesh, run.threads);
  // a after `step` steps; halves are the middle of a step.
  const auto at = [&](double step) {
    const double root = std::sqrt(run.start) + (1 - std::sqrt(run.start)) * step / run.steps;
    return root * root;
  };
  double kicked = run.start;  // the a of the momenta
  for (int step = 0; step <= run.steps; ++step) {
    if (step > 0) drift(particles, run.mesh, universe.drift(at(step - 1), at(step)), run.threads);
    const double to = step < run.steps ? at(step + 0.5) : 1.0;
    gravity.solve(particles, 1.5 * universe.matter);
    gravity.kick(particles, universe.kick(kicked, to));
    kicked = to;
  }
}

}  // namespace gpz::bench::data
