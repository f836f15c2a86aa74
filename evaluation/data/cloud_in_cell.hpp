// SPDX-License-Identifier: BSD-3-Clause
// Particles in a periodic mesh: each is a cloud as wide as a cell, which two cells along an axis share.
#pragma once

#include <cstddef>

namespace gpz::bench::data {

// A coordinate that left 0 .. edge by less than an edge, back in it.
inline float wrapped(float x, float edge) {
  if (x < 0) x += edge;
  if (x >= edge) x -= edge;
  return x;  // a tiny negative number has become `edge`, and then 0
}

// The cell below a particle along an axis, and the part of its cloud in the next one.
struct Cloud {
  explicit Cloud(float x) : cell(static_cast<std::size_t>(x)), next(x - static_cast<float>(cell)) {}
  std::size_t cell;
  float next;
};

}  // namespace gpz::bench::data
