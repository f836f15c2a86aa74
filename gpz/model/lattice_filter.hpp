// SPDX-License-Identifier: BSD-3-Clause
// Filter of the lattice model: polynomials in the stiffness of the springs, applied to displacements (docs/format.md,
// section 10c).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/format/bytes.hpp"

namespace gpz::model {

struct LatticeFilter {
  static constexpr int max_degree = 12;
  static constexpr int bits = 12;                 // fraction bits of coefficients
  static constexpr std::int64_t max_sum = 65535;  // largest sum of the magnitudes of all coefficients
  static constexpr int whole_gain = 64;

  int degree = 0;
  // Fraction, in 1/64, of a displacement's deviation from its prediction that is kept. Below 64 on coarse grids, where
  // rounding contributes to the deviation.
  int gain = whole_gain;
  std::int16_t mean = 0;                              // weight of the mean position
  std::array<std::int16_t, max_degree + 1> last{};    // polynomial for displacements in the last frame
  std::array<std::int16_t, max_degree + 1> before{};  // polynomial for the frame before

  void write(std::vector<std::uint8_t> &bytes) const;
  // Throws gpz::Error (corrupt).
  void read(format::ByteReader &reader);

  // Encoder: coefficients in the order mean position, then `last` and `before` alternately.
  static std::size_t coefficients(int degree) { return 2 * static_cast<std::size_t>(degree + 1) + 1; }
  static LatticeFilter rounded(const std::vector<double> &x, int degree);
  // Returns `count` coefficients. Coefficients beyond the degree are 0.
  std::vector<double> values(std::size_t count) const;
};

}  // namespace gpz::model
