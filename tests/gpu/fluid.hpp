// SPDX-License-Identifier: BSD-3-Clause
// Trajectories of molecules for the GPU tests: molecules that never touch, in any order of rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "gpz/crystal/vector3.hpp"
#include "molecule_trajectory_support.hpp"

namespace gpz::test {

inline constexpr double fluid_bound = 0.001;
inline constexpr unsigned fluid_interval = 4;  // frames between key frames

using Vector = Molecules::Vector;
// Places of the atoms of a molecule; a bond is about 1 long.
using Geometry = std::vector<Vector>;

inline const Geometry water{{0, 0, 0}, {0.96, 0, 0}, {-0.24, 0.93, 0}};

inline Geometry alkane_geometry(std::size_t carbons) {
  Geometry geometry;
  for (std::size_t c = 0; c < carbons; ++c) {
    const double side = c % 2 == 0 ? 1 : -1;
    const Vector carbon{1.26 * (static_cast<double>(c) - static_cast<double>(carbons - 1) / 2), -0.43 * side, 0};
    const auto add = [&](double x, double y, double z) {
      geometry.push_back({carbon[0] + x, carbon[1] + y, carbon[2] + z});
    };
    add(0, 0, 0);
    for (const double z : {-0.89, 0.89}) add(0, -0.63 * side, z);
    if (c == 0) add(-0.9, 0.63 * side, 0);
    if (c + 1 == carbons) add(0.9, 0.63 * side, 0);
  }
  return geometry;
}

inline Geometry row(std::size_t atoms) {
  Geometry geometry;
  for (std::size_t a = 0; a < atoms; ++a) geometry.push_back({static_cast<double>(a), 0, 0});
  return geometry;
}
inline Geometry star(std::size_t arms) {
  const Geometry whole{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  return {whole.begin(), whole.begin() + 1 + static_cast<std::ptrdiff_t>(arms)};
}

// Molecules on the sites of a lattice, which turn about their sites and tremble, and drift through the edges of the
// box. They never touch, so that the lags are the same in all intervals.
class Fluid {
 public:
  // Molecules of these geometries in turn.
  Fluid(const std::vector<Geometry> &kinds, std::size_t particles, std::uint64_t seed)
      : random_(seed), liquid_({0}, 1, 1), kinds_(kinds) {
    for (std::size_t k = 0, atoms = 0; atoms < particles; ++k) {
      const Geometry &kind = kinds_[k % kinds.size()];
      molecules_.push_back({&kind, {}, direction(), direction()});
      atoms += kind.size();
    }
    const auto cells = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(molecules_.size()))));
    for (std::size_t m = 0; m < molecules_.size(); ++m) {
      const std::size_t site[] = {m % cells, m / cells % cells, m / cells / cells};
      for (std::size_t d = 0; d < 3; ++d) molecules_[m].site[d] = spacing * static_cast<double>(site[d]);
    }
    resize(spacing * static_cast<double>(cells));
  }
  // By edges of the lattice, so that molecules do not touch across the edges of the box either.
  void tilt() {
    liquid_.tilt();
    const double tilts[] = {2 * spacing, -spacing, spacing};
    std::copy(std::begin(tilts), std::end(tilts), &liquid_.box.values[6]);
  }

  double trembling = 0.01;  // relative to the size of a molecule, up to 1
  double bound = fluid_bound;

  // `growth`: factor for all lengths, at each key frame.
  std::vector<Snapshot> run(int frames, double growth = 1) {
    std::vector<Snapshot> out;
    for (int f = 0; f < frames; ++f) {
      if (f % static_cast<int>(fluid_interval) == 0) {
        scale_ *= growth;
        resize(liquid_.size * growth);
      }
      place();
      out.push_back(liquid_.snapshot(f, bound, false));
    }
    return out;
  }

 private:
  static constexpr double spacing = 13;
  struct Molecule {
    const Geometry *geometry;
    Vector site, x, y;
  };

  void resize(double size) {
    const double factor = size / liquid_.size;
    for (double &x : liquid_.box.values) x *= factor;
    liquid_.size = size;
  }
  Vector direction() { return {codec::normal(random_), codec::normal(random_), codec::normal(random_)}; }
  static Vector of_length_1(const Vector &v) {
    const double length = std::sqrt(crystal::dot(v, v));
    return {v[0] / length, v[1] / length, v[2] / length};
  }
  void place() {
    std::vector<Vector> &places = liquid_.molecules.position;
    places.clear();
    for (double &x : drift_) x += 0.7;
    for (Molecule &molecule : molecules_) {
      for (std::size_t d = 0; d < 3; ++d) {
        molecule.x[d] += 0.05 * codec::normal(random_);
        molecule.y[d] += 0.05 * codec::normal(random_);
        molecule.site[d] += 0.1 * codec::normal(random_);
      }
      // Three axes at right angles.
      const Vector x = of_length_1(molecule.x);
      const Vector z = of_length_1(crystal::cross(x, molecule.y));
      const Vector y = crystal::cross(z, x);
      const Geometry &geometry = *molecule.geometry;
      const Vector size = crystal::operator-(geometry.back(), geometry[0]);
      const double deviation = trembling * std::min(std::sqrt(crystal::dot(size, size)), 1.0);
      for (const Vector &atom : geometry) {
        places.emplace_back();
        for (std::size_t d = 0; d < 3; ++d)
          places.back()[d] = unit * scale_ *
                             (molecule.site[d] + drift_[d] + atom[0] * x[d] + atom[1] * y[d] + atom[2] * z[d] +
                              deviation * codec::normal(random_));
      }
    }
  }

  Random random_;
  Liquid liquid_;
  std::vector<Geometry> kinds_;
  std::vector<Molecule> molecules_;
  Vector drift_{};
  double scale_ = 1;
};

inline std::vector<Geometry> mixture() { return {water, alkane_geometry(3), water, alkane_geometry(7), {{0, 0, 0}}}; }

// Rows in any order, and ids far apart.
inline void shuffle(std::vector<Snapshot> &snapshots, std::uint64_t seed) {
  Random random(seed);
  for (Snapshot &snapshot : snapshots) {
    std::vector<std::size_t> from(snapshot.info.particles);
    std::iota(from.begin(), from.end(), std::size_t{0});
    for (std::size_t i = from.size(); i > 1; --i) std::swap(from[i - 1], from[random.below(i)]);
    Quantity &position = snapshot.quantities[0];
    Quantity &id = snapshot.quantities[1];
    const Quantity position_before = position;
    const Quantity id_before = id;
    for (std::size_t i = 0; i < from.size(); ++i) {
      id.integer[i] = 7 * id_before.integer[from[i]] - 20000;
      for (std::size_t d = 0; d < 3; ++d) position.real[3 * i + d] = position_before.real[3 * from[i] + d];
    }
  }
}

// Removes particles by their ids.
template <typename IsKept>
void keep_only(Snapshot &snapshot, const IsKept &is_kept) {
  std::vector<double> &places = snapshot.quantities[0].real;
  std::vector<std::int64_t> &ids = snapshot.quantities[1].integer;
  std::size_t count = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!is_kept(ids[i])) continue;
    ids[count] = ids[i];
    for (std::size_t d = 0; d < 3; ++d) places[3 * count + d] = places[3 * i + d];
    ++count;
  }
  ids.resize(count);
  places.resize(3 * count);
  snapshot.info.particles = count;
}

}  // namespace gpz::test
