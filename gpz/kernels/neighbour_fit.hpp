// SPDX-License-Identifier: BSD-3-Clause
// Least-squares fit of the neighbour prediction (docs/decisions/0013). Sums are integers, so threads may add in any
// order. The floating-point steps after them have a fixed order.
#pragma once

#include "gpz/core/neighbours.hpp"

namespace gpz::core {

// product[j][s mod 12]: sum over a sample of remainder(s) * remainder(s - j), j = 0 to 4, for slots s.
struct NeighbourSums {
  static constexpr std::uint32_t period = 12;
  std::int64_t product[max_neighbour_lags + 1][period] = {};
};

// Normal equations of one level.
struct NeighbourEquations {
  double matrix[max_neighbour_lags][max_neighbour_lags];
  double target[max_neighbour_lags];
  double own;  // sum of squares of the predicted values
};

// Weights of one level. `left` is (squared residuals + 1) * levels, comparable between numbers of levels.
struct LevelFit {
  std::int8_t weight[max_neighbour_lags];
  double left;
};

// How many numbers of levels are tried: 1, 2, 3, 4, 6, 12.
inline constexpr int level_choices = 6;

inline namespace GPZ_ISA {

GPZ_HD std::uint32_t levels_of_choice(int choice) {
  return choice < 4 ? static_cast<std::uint32_t>(choice) + 1 : choice == 4 ? 6 : 12;
}

// A slot `a` places before a slot of level l has level l - a. Slots outside a block count as zeros.
GPZ_HD NeighbourEquations equations_of(const NeighbourSums &sums, std::uint32_t levels, std::uint32_t level) {
  const auto sum = [&](std::uint32_t lag, std::uint32_t of) {
    std::int64_t total = 0;
    for (std::uint32_t s = of % levels; s < NeighbourSums::period; s += levels) total += sums.product[lag][s];
    return static_cast<double>(total);
  };
  NeighbourEquations e{};
  e.own = sum(0, level);
  for (std::uint32_t a = 0; a < max_neighbour_lags; ++a) {
    e.target[a] = sum(a + 1, level);
    for (std::uint32_t b = a; b < max_neighbour_lags; ++b)
      e.matrix[a][b] = e.matrix[b][a] = sum(b - a, level + NeighbourSums::period - (a + 1));
  }
  return e;
}

// Gaussian elimination with a small ridge on the diagonal, as in fit_predictor().
GPZ_HD void solve(const NeighbourEquations &e, double *x) {
  double m[max_neighbour_lags][max_neighbour_lags];
  double t[max_neighbour_lags];
  for (std::uint32_t a = 0; a < max_neighbour_lags; ++a) {
    t[a] = e.target[a];
    for (std::uint32_t b = 0; b < max_neighbour_lags; ++b) m[a][b] = e.matrix[a][b];
    m[a][a] = m[a][a] * (1 + 1.0 / 1073741824) + 1;
  }
  for (std::uint32_t a = 0; a < max_neighbour_lags; ++a)
    for (std::uint32_t b = a + 1; b < max_neighbour_lags; ++b) {
      const double f = m[b][a] / m[a][a];
      for (std::uint32_t c = a; c < max_neighbour_lags; ++c) m[b][c] -= f * m[a][c];
      t[b] -= f * t[a];
    }
  for (std::uint32_t a = max_neighbour_lags; a-- > 0;) {
    double rest = t[a];
    for (std::uint32_t b = a + 1; b < max_neighbour_lags; ++b) rest -= m[a][b] * x[b];
    x[a] = rest / m[a][a];
  }
}

GPZ_HD double residual_squares(const NeighbourEquations &e, const std::int8_t *weight) {
  double left = e.own;
  for (std::uint32_t a = 0; a < max_neighbour_lags; ++a) {
    double row = -2 * e.target[a];
    for (std::uint32_t b = 0; b < max_neighbour_lags; ++b) row += e.matrix[a][b] * (weight[b] / 64.0);
    left += row * (weight[a] / 64.0);
  }
  return left > 0 ? left : 0;
}

GPZ_HD LevelFit fit_level(const NeighbourSums &sums, std::uint32_t levels, std::uint32_t level) {
  const NeighbourEquations e = equations_of(sums, levels, level);
  double x[max_neighbour_lags];
  solve(e, x);
  LevelFit fit{};
  for (std::uint32_t j = 0; j < max_neighbour_lags; ++j) fit.weight[j] = round_coefficient(x[j]);
  fit.left = (residual_squares(e, fit.weight) + 1) * levels;
  return fit;
}

// The best number of levels and its weights. fit_of(levels, level) returns the result of fit_level(); `values` counts
// the values of the whole section.
template <typename FitOf>
GPZ_HD Neighbours best_neighbours(const FitOf &fit_of, std::uint64_t values) {
  Neighbours best;
  double least = 0;
  for (int choice = 0; choice < level_choices; ++choice) {
    Neighbours fitted;
    fitted.levels = levels_of_choice(choice);
    fitted.lags = max_neighbour_lags;
    // Product of the squared residuals over 12 levels: its logarithm grows with the section's bits. The factor accounts
    // for the larger header of more levels.
    double product = 1 + 24 * 0.69 * 8 * max_neighbour_lags * fitted.levels / static_cast<double>(values);
    for (std::uint32_t level = 0; level < fitted.levels; ++level) {
      const LevelFit fit = fit_of(fitted.levels, level);
      for (std::uint32_t j = 0; j < max_neighbour_lags; ++j) fitted.weight[level][j] = fit.weight[j];
      for (std::uint32_t k = fitted.levels; k <= NeighbourSums::period; k += fitted.levels) product *= fit.left;
    }
    if (best.levels != 0 && product >= least) continue;
    best = fitted;
    least = product;
  }
  return best;
}

}  // namespace GPZ_ISA

}  // namespace gpz::core
