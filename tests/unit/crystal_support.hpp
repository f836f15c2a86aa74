// SPDX-License-Identifier: BSD-3-Clause
// Crystals that swing: atoms joined by springs, in a periodic box, integrated in time.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/core/residual.hpp"

namespace gpz::test {

using Point = std::array<double, 3>;
using Columns = std::array<std::vector<std::int64_t>, 3>;

struct Structure {
  Point cell;                // edges
  std::vector<Point> basis;  // in units of them
  double bond;               // springs join atoms that are closer than this
};

inline Structure fcc() { return {{1, 1, 1}, {{0, 0, 0}, {.5, .5, 0}, {.5, 0, .5}, {0, .5, .5}}, 0.8}; }
inline Structure bcc() { return {{1, 1, 1}, {{0, 0, 0}, {.5, .5, .5}}, 1.1}; }
inline Structure hcp() {
  return {{1, std::sqrt(3.0), std::sqrt(8.0 / 3)}, {{0, 0, 0}, {.5, .5, 0}, {.5, 5.0 / 6, .5}, {0, 1.0 / 3, .5}}, 1.1};
}
inline Structure diamond() {
  Structure s{{1, 1, 1}, {}, 0.8};
  for (const Point &p : fcc().basis) {
    s.basis.push_back(p);
    s.basis.push_back({p[0] + .25, p[1] + .25, p[2] + .25});
  }
  return s;
}

class Crystal {
 public:
  // A particle of `leave_out` in 64 is missing.
  Crystal(const Structure &structure, const std::array<int, 3> &cells, unsigned seed, unsigned leave_out = 0)
      : random_(seed) {
    for (std::size_t d = 0; d < 3; ++d) box_[d] = structure.cell[d] * cells[d];
    for (int z = 0; z < cells[2]; ++z)
      for (int y = 0; y < cells[1]; ++y)
        for (int x = 0; x < cells[0]; ++x)
          for (const Point &p : structure.basis)
            if (random_() % 64 >= leave_out)
              position_.push_back(
                  {(p[0] + x) * structure.cell[0], (p[1] + y) * structure.cell[1], (p[2] + z) * structure.cell[2]});
    velocity_.resize(position_.size());
    std::normal_distribution<double> normal(0, 0.05);
    for (Point &v : velocity_)
      for (double &x : v) x = normal(random_);
    for (std::size_t i = 0; i < position_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double length = std::sqrt(squared(separation(i, j)));
        if (length < structure.bond) bonds_.push_back({i, j, length});
      }
    run(200);
  }

  std::size_t particles() const { return position_.size(); }
  std::mt19937 &random() { return random_; }

  void run(int steps) {
    constexpr double step = 0.05;
    std::vector<Point> force(position_.size());
    for (int s = 0; s < steps; ++s) {
      force.assign(position_.size(), {});
      for (const Bond &bond : bonds_) {
        const Point r = separation(bond.i, bond.j);
        const double length = std::sqrt(squared(r));
        const double pull = (length - bond.length) / length;
        for (std::size_t d = 0; d < 3; ++d) {
          force[bond.i][d] -= pull * r[d];
          force[bond.j][d] += pull * r[d];
        }
      }
      for (std::size_t i = 0; i < position_.size(); ++i)
        for (std::size_t d = 0; d < 3; ++d) {
          velocity_[i][d] += step * force[i][d];
          position_[i][d] += step * velocity_[i][d];
        }
    }
  }

  // Grid indices, wrapped into the box.
  Columns indices(double grid) const {
    Columns q;
    for (std::size_t d = 0; d < 3; ++d)
      for (const Point &p : position_) q[d].push_back(core::wrap(std::llround(p[d] / grid), box(grid)[d]));
    return q;
  }
  core::GridBox box(double grid) const {
    core::GridBox box;
    for (std::size_t d = 0; d < 3; ++d) box[d] = {0, std::llround(box_[d] / grid)};
    return box;
  }

 private:
  struct Bond {
    std::size_t i, j;
    double length;
  };

  static double squared(const Point &r) { return r[0] * r[0] + r[1] * r[1] + r[2] * r[2]; }
  Point separation(std::size_t i, std::size_t j) const {
    Point r;
    for (std::size_t d = 0; d < 3; ++d) {
      r[d] = position_[i][d] - position_[j][d];
      r[d] -= box_[d] * std::round(r[d] / box_[d]);
    }
    return r;
  }

  std::mt19937 random_;
  Point box_;
  std::vector<Point> position_;
  std::vector<Point> velocity_;
  std::vector<Bond> bonds_;
};

inline codec::IndexColumns pointers(const Columns &q) { return {q[0].data(), q[1].data(), q[2].data()}; }

}  // namespace gpz::test
