// SPDX-License-Identifier: BSD-3-Clause
// What decoded particles are worth: the largest error, and the peak signal-to-noise ratio. Shares nothing with the
// codecs. Arrays are in host memory: `components` arrays of `particles` values each, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evaluation {

struct Errors {
  double largest = 0;         // |decoded - original| of one coordinate
  double sum_of_squares = 0;  // of all coordinates
  std::uint64_t lost = 0;     // coordinates that came back as NaN or infinity
  std::uint64_t values = 0;

  void add(const Errors &other);
};

// Particle i of both is the same one.
Errors errors_in_order(const float *original, const float *decoded, std::uint64_t particles, int components,
                       unsigned threads);

// Particle i of `decoded` is particle origin[i] of `original`. Throws std::runtime_error if `origin` is not a
// permutation of 0 .. particles - 1.
Errors errors_by_origin(const float *original, const float *decoded, const std::vector<std::uint32_t> &origin,
                        std::uint64_t particles, int components, unsigned threads);

// The particles of every `block` consecutive ones came back in an unknown order. Each particle is given a decoded one
// of its block: all of them one within the bound if that can be, otherwise within 1.0001, 1.001, 1.01 or 1.1 of it. The
// result is that of this assignment. It proves that the largest error is not more, and is at most so much larger than
// that of the best assignment. Where not even the last will do, particles for which there is no decoded one within
// reach get one that is left over, the nearest first: then no assignment keeps 1.1 of the bound.
Errors errors_in_blocks(const float *original, const float *decoded, std::uint64_t particles, int components,
                        std::uint64_t block, double bound, unsigned threads);

// The longest edge of the box around the particles: the largest extent of one coordinate.
double longest_edge(const float *values, std::uint64_t particles, int components, unsigned threads);

// 20 log10(longest edge / root mean square error), decibels; infinity without errors.
double psnr(const Errors &errors, double longest_edge);

}  // namespace evaluation
