// SPDX-License-Identifier: BSD-3-Clause
// Matter as a simulation has it, for tests of modelled sections: particles with pair forces, which are a liquid or a
// crystal by their temperature, and rigid molecules. In periodic boxes; positions are not brought back.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec_support.hpp"
#include "gpz/frame.hpp"

namespace gpz::test {

using Vector = std::array<double, 3>;

inline double dot(const Vector &a, const Vector &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

struct Matter {
  std::size_t dimension = 3;
  Vector edges{};
  std::vector<Vector> position;
  std::vector<Vector> velocity;
  Random random;

  explicit Matter(std::uint64_t seed) : random(seed) {}

  double normal() {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += random.uniform();
    return sum;
  }
  // In [0, edge) of each axis.
  Vector inside(std::size_t i) const {
    Vector x = position[i];
    for (std::size_t d = 0; d < dimension; ++d) x[d] -= edges[d] * std::floor(x[d] / edges[d]);
    return x;
  }
  Box box() const {
    Box box;
    box.kind = Box::Kind::orthogonal;
    box.dimension = static_cast<std::uint8_t>(dimension);
    box.boundary = {'p', 'p', 'p', 'p', 'p', 'p'};
    box.values = {0, edges[0], 0, edges[1], -0.5, 0.5};
    if (dimension == 3) box.values[4] = 0, box.values[5] = edges[2];
    return box;
  }
};

// Lennard-Jones particles in reduced units, from a lattice of `cells` cells an axis (4 particles each, 1 in two
// dimensions).
class LennardJones : public Matter {
 public:
  LennardJones(std::size_t cells, double density, double temperature, std::uint64_t seed, bool is_flat = false)
      : Matter(seed) {
    dimension = is_flat ? 2 : 3;
    const double edge = is_flat ? std::sqrt(1 / density) : std::cbrt(4 / density);
    const std::vector<Vector> basis =
        is_flat ? std::vector<Vector>{{0.25, 0.25, 0}}
                : std::vector<Vector>{{.25, .25, .25}, {.75, .75, .25}, {.75, .25, .75}, {.25, .75, .75}};
    for (std::size_t d = 0; d < dimension; ++d) edges[d] = edge * static_cast<double>(cells);
    for (std::size_t z = 0; z < (is_flat ? 1 : cells); ++z)
      for (std::size_t y = 0; y < cells; ++y)
        for (std::size_t x = 0; x < cells; ++x)
          for (const Vector &b : basis)
            position.push_back({(static_cast<double>(x) + b[0]) * edge, (static_cast<double>(y) + b[1]) * edge,
                                is_flat ? 0 : (static_cast<double>(z) + b[2]) * edge});
    velocity.resize(position.size());
    for (Vector &v : velocity)
      for (std::size_t d = 0; d < dimension; ++d) v[d] = std::sqrt(2 * temperature) * normal();
    find_force();
  }

  // Velocity Verlet.
  void run(int steps);

 private:
  void find_force();

  std::vector<Vector> force_;
};

// Molecules O H H, rigid as water is, that drift and turn at random; with `others` particles that are bound to nobody
// behind each. Lengths in angstroms.
class Waters : public Matter {
 public:
  Waters(std::size_t count, std::size_t others, std::uint64_t seed) : Matter(seed), size_(3 + others) {
    const double edge = std::cbrt(30.0 * static_cast<double>(count));
    edges = {edge, edge, edge};
    for (std::size_t m = 0; m < count; ++m) {
      const Vector oxygen{edge * random.uniform(), edge * random.uniform(), edge * random.uniform()};
      const Vector along = direction();
      Vector side = direction();
      const double part = dot(side, along);
      for (std::size_t d = 0; d < 3; ++d) side[d] -= part * along[d];
      const double length = std::sqrt(dot(side, side));
      position.push_back(oxygen);
      for (const double sign : {1.0, -1.0}) {
        Vector hydrogen = oxygen;
        for (std::size_t d = 0; d < 3; ++d) hydrogen[d] += 0.5858823 * along[d] + sign * 0.7569503 * side[d] / length;
        position.push_back(hydrogen);
      }
      for (std::size_t k = 0; k < others; ++k)
        position.push_back({edge * random.uniform(), edge * random.uniform(), edge * random.uniform()});
    }
    velocity.resize(position.size());
    for (Vector &v : velocity)
      for (double &x : v) x = 0.1 * normal();
    turn_.resize(position.size());
    for (Vector &t : turn_)
      for (double &x : t) x = 0.1 * normal();
  }

  // A frame on: each molecule moves and turns almost as before.
  void move() {
    for (std::size_t i = 0; i < position.size(); i += size_) {
      for (std::size_t d = 0; d < 3; ++d) {
        velocity[i][d] += 0.02 * normal();
        turn_[i][d] += 0.02 * normal();
      }
      const Vector oxygen = position[i];
      for (std::size_t d = 0; d < 3; ++d) position[i][d] += velocity[i][d];
      for (std::size_t k = i + 1; k < i + 3; ++k) {
        Vector bond;
        for (std::size_t d = 0; d < 3; ++d) bond[d] = position[k][d] - oxygen[d];
        bond = turned(bond, turn_[i]);
        for (std::size_t d = 0; d < 3; ++d) position[k][d] = position[i][d] + bond[d];
      }
      for (std::size_t k = i + 3; k < i + size_; ++k)
        for (std::size_t d = 0; d < 3; ++d) position[k][d] += velocity[k][d] + 0.02 * normal();
    }
  }

 private:
  Vector direction() {
    Vector v{normal(), normal(), normal()};
    const double length = std::sqrt(dot(v, v));
    for (double &x : v) x /= length;
    return v;
  }
  // About an axis, by its length as an angle.
  static Vector turned(const Vector &v, const Vector &about) {
    const double angle = std::sqrt(dot(about, about));
    Vector axis = about;
    for (double &x : axis) x /= angle;
    const Vector cross{axis[1] * v[2] - axis[2] * v[1], axis[2] * v[0] - axis[0] * v[2],
                       axis[0] * v[1] - axis[1] * v[0]};
    Vector out;
    for (std::size_t d = 0; d < 3; ++d)
      out[d] = v[d] * std::cos(angle) + cross[d] * std::sin(angle) + axis[d] * dot(axis, v) * (1 - std::cos(angle));
    return out;
  }

  std::size_t size_;
  std::vector<Vector> turn_;
};

}  // namespace gpz::test
