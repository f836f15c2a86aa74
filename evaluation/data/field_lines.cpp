// SPDX-License-Identifier: BSD-3-Clause
#include "field_lines.hpp"

#include <cmath>

namespace gpz::bench::data {
namespace {

double power(double x, int n) {
  double product = 1;
  for (int i = 0; i < n; ++i) product *= x;
  return product;
}

}  // namespace

// Strengths: islands of 0.05 to 0.09 in flux. Those of q = 3/2 and 2 lie apart, those of 5/2, 3, 7/2 and 4 nearly
// touch.
FieldLines::FieldLines(double perturbation)
    : waves_{{{3, 2, 1.6e-3, 0.3},
              {2, 1, 6.5e-4, 1.9},
              {5, 2, 4.5e-4, 4.1},
              {3, 1, 5.2e-4, 0.8},
              {7, 2, 2.8e-4, 5.2},
              {4, 1, 2.0e-4, 2.7}}} {
  for (Wave &wave : waves_) wave.strength *= perturbation;
}

double FieldLines::safety_factor(double flux) { return 1.05 + 1.2 * flux + 1.9 * flux * flux; }

Puncture FieldLines::turn(Puncture at) const {
  for (int s = 0; s < steps; ++s) at = step(at, 2 * M_PI * (s + 0.5) / steps);
  at.angle = std::remainder(at.angle, 2 * M_PI);
  return at;
}

Puncture FieldLines::step(Puncture at, double toroidal) const {
  constexpr double length = 2 * M_PI / steps;
  std::array<double, waves> sine;
  std::array<double, waves> cosine;
  for (std::size_t w = 0; w < waves; ++w) {
    const double angle = waves_[w].m * at.angle - waves_[w].n * toroidal + waves_[w].phase;
    sine[w] = std::sin(angle) * waves_[w].strength * length;
    cosine[w] = std::cos(angle) * waves_[w].strength * length;
  }
  // The new flux stands on both sides of its equation: Newton's method, to the last digits of a double.
  double flux = at.flux;
  for (int iteration = 0; iteration < 8; ++iteration) {
    const double radius = std::sqrt(flux);
    double excess = flux - at.flux;
    double slope = 1;
    for (std::size_t w = 0; w < waves; ++w) {
      const int m = waves_[w].m;
      const double below = power(radius, m - 2);
      excess -= m * sine[w] * below * flux;
      slope -= m * sine[w] * below * m / 2;
    }
    const double correction = excess / slope;
    flux -= correction;
    if (std::abs(correction) < 1e-16) break;
  }
  double angle = at.angle + length / safety_factor(flux);
  for (std::size_t w = 0; w < waves; ++w)
    angle += cosine[w] * waves_[w].m / 2 * power(std::sqrt(flux), waves_[w].m - 2);
  return {flux, angle};
}

Place place(Puncture at) {
  constexpr double axis = 6.2;
  constexpr double minor_radius = 2.0;
  constexpr double elongation = 1.7;
  constexpr double triangularity = 0.4;
  constexpr double shift = 0.15;  // of the magnetic axis, outwards
  const double radius = std::sqrt(at.flux);
  return {axis + shift * (1 - at.flux) +
              minor_radius * radius * std::cos(at.angle + triangularity * radius * std::sin(at.angle)),
          elongation * minor_radius * radius * std::sin(at.angle)};
}

}  // namespace gpz::bench::data
