// SPDX-License-Identifier: BSD-3-Clause
// The steps of the simulation, apart from the tests: here most of their time goes.
#include "matter.hpp"

namespace gpz::test {

void LennardJones::run(int steps) {
  constexpr double step = 0.005;
  for (int s = 0; s < steps; ++s) {
    for (std::size_t i = 0; i < position.size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) {
        velocity[i][d] += step / 2 * force_[i][d];
        position[i][d] += step * velocity[i][d];
      }
    find_force();
    for (std::size_t i = 0; i < position.size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) velocity[i][d] += step / 2 * force_[i][d];
  }
}

void LennardJones::find_force() {
  constexpr double cutoff = 2.5;
  force_.assign(position.size(), {});
  std::vector<Vector> at;  // so that no difference is more than an edge
  for (std::size_t i = 0; i < position.size(); ++i) at.push_back(inside(i));
  for (std::size_t i = 0; i < position.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      Vector r;
      double squared = 0;
      for (std::size_t d = 0; d < dimension; ++d) {
        r[d] = at[i][d] - at[j][d];
        if (r[d] > edges[d] / 2) r[d] -= edges[d];
        if (r[d] < -edges[d] / 2) r[d] += edges[d];
        squared += r[d] * r[d];
      }
      if (squared >= cutoff * cutoff) continue;
      const double sixth = 1 / (squared * squared * squared);
      const double pull = 24 * sixth * (2 * sixth - 1) / squared;
      for (std::size_t d = 0; d < dimension; ++d) {
        force_[i][d] += pull * r[d];
        force_[j][d] -= pull * r[d];
      }
    }
}

}  // namespace gpz::test
