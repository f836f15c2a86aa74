// SPDX-License-Identifier: BSD-3-Clause
// What the lattice model makes of displacements: polynomials in the stiffness of the springs (docs/format.md,
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
  static constexpr int bits = 12;                 // of the fractions of coefficients
  static constexpr std::int64_t max_sum = 65535;  // of the magnitudes of all coefficients
  static constexpr int whole_gain = 64;

  int degree = 0;
  // How much of the difference from its prediction a displacement keeps, in 1/64: less than all of it where the grid is
  // coarse.
  int gain = whole_gain;
  std::int16_t mean = 0;                              // of the mean position
  std::array<std::int16_t, max_degree + 1> last{};    // polynomial of the displacements in the last frame
  std::array<std::int16_t, max_degree + 1> before{};  // in the frame before

  void write(std::vector<std::uint8_t> &bytes) const;
  // Throws gpz::Error (corrupt).
  void read(format::ByteReader &reader);

  // Encoder: coefficients in their order, that of the mean position first, then of `last` and `before` in turn.
  static std::size_t coefficients(int degree) { return 2 * static_cast<std::size_t>(degree + 1) + 1; }
  static LatticeFilter rounded(const std::vector<double> &x, int degree);
  // As many as asked for, the last ones 0.
  std::vector<double> values(std::size_t count) const;
};

}  // namespace gpz::model
