// SPDX-License-Identifier: BSD-3-Clause
// The axes in which the place of a particle in its molecule hardly changes (docs/format.md, section 9c).
#pragma once

#include <cmath>
#include <cstddef>

#include "gpz/molecule/memory.hpp"
#include "gpz/molecule/tree.hpp"

namespace gpz::molecule {

using crystal::operator+;
using crystal::operator-;
using crystal::operator*;
using crystal::cross;
using crystal::dot;

struct LocalAxes {
  int known = 0;  // 0: none; 1: `along`; 2: all
  Vector3 along{};
  Vector3 towards{};
  Vector3 across{};

  // Of particle i, from the ways of earlier ones.
  LocalAxes(const Tree &tree, const Particle *particles, std::size_t i) {
    const Links &links = tree[i];
    if (links.along == Reference::none) return;
    const std::size_t parent = i - links.parent;
    const Vector3 first = links.along == Reference::above ? Vector3{} - vector_of(particles[parent].way)
                                                          : vector_of(particles[i - links.along_lag].way);
    const double length = crystal::length(first);
    if (length < least_length) return;
    known = 1;
    along = 1 / length * first;
    if (links.across == Reference::none) return;
    Vector3 second;
    if (links.across == Reference::beside) {
      second = vector_of(particles[i - links.across_lag].way);
    } else {
      second = links.across == Reference::beyond ? vector_of(particles[i - links.across_lag].way)
                                                 : Vector3{} - vector_of(particles[parent - tree[parent].parent].way);
      second = second - vector_of(particles[parent].way);
    }
    const Vector3 normal = cross(along, second);
    const double width = crystal::length(normal);
    if (width < least_length || width * width < least_square_of_sine * crystal::squared(second)) return;
    known = 2;
    across = 1 / width * normal;
    towards = cross(across, along);
  }

 private:
  static constexpr double least_length = 1;  // steps
  static constexpr double least_square_of_sine = 0.01;
};

}  // namespace gpz::molecule
