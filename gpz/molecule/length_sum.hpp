// SPDX-License-Identifier: BSD-3-Clause
// Sums of the bond lengths of a class in any order, for threads and GPUs. Sections prescribe the order of particles
// (docs/format.md, section 9c), which matters only where a sum is rounded.
#pragma once

#include <cstdint>

#include "gpz/core/config.hpp"

namespace gpz::molecule {

// Subnormal numbers are multiples of the same power of two as those of exponent 1.
GPZ_HD std::uint32_t exponent_of(float length) {
  const std::uint32_t exponent = core::bit_cast<std::uint32_t>(length) >> 23 & 255;
  return exponent == 0 ? 1 : exponent;
}

struct LengthSum {
  double sum = 0;
  std::uint32_t particles = 0;
  // Of the lengths other than 0, with the bias of a float.
  std::uint32_t least_exponent = UINT32_MAX;
  std::uint32_t most_exponent = 0;

  void add(float length) {
    ++particles;
    if (length == 0) return;
    sum += static_cast<double>(length);
    least_exponent = core::min_of(least_exponent, exponent_of(length));
    most_exponent = core::max_of(most_exponent, exponent_of(length));
  }
  void add(const LengthSum &other) {
    sum += other.sum;
    particles += other.particles;
    least_exponent = core::min_of(least_exponent, other.least_exponent);
    most_exponent = core::max_of(most_exponent, other.most_exponent);
  }
};

// True if the sum has not been rounded, in whatever order the lengths were added. With exponents from a to b, all
// lengths are multiples of u = 2^(a - 23) (without the bias) and less than 2^(b - a + 24) u. A sum of any of them is a
// multiple of u, too, and a double if it is at most 2^53 u: up to 2^(29 - (b - a)) particles. The lengths of a class
// are within a quarter octave, so that b - a is at most 1, except in the last class if there are more combinations of
// traits than classes.
inline bool is_exact(const LengthSum &lengths) {
  if (lengths.most_exponent == 0) return true;  // no length other than 0
  constexpr std::uint32_t not_finite = 255;
  constexpr std::uint32_t spare_bits = 29;
  const std::uint32_t octaves = lengths.most_exponent - lengths.least_exponent;
  return lengths.most_exponent < not_finite && octaves <= spare_bits &&
         lengths.particles <= std::uint32_t{1} << (spare_bits - octaves);
}

}  // namespace gpz::molecule
