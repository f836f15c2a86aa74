// SPDX-License-Identifier: BSD-3-Clause
// The formulas by which fits of a class follow from sums (docs/format.md, section 9c, *Fits*), for CPUs and GPUs.
#pragma once

#include <array>
#include <cstddef>

#include "gpz/core/config.hpp"
#include "gpz/molecule/class_fit.hpp"

namespace gpz::molecule {

inline constexpr double fading = 0.75;             // factor on the sums for each frame
inline constexpr double mean_to_deviation = 1.25;  // standard deviation of normal residuals over their mean magnitude
inline constexpr double least_deviation = 0.3;     // in grid steps
inline constexpr double least_bend = 1e-6;

// Solves the normal equations by elimination, row after row. The addition to the diagonal pulls the solution towards
// `prior`.
template <std::size_t count>
GPZ_HD void solve(const FitSums<count> &sums, double samples, const std::array<double, count> &prior,
                  std::array<double, count> &weights) {
  double rows[count][count + 1];
  for (std::size_t a = 0, k = 0; a < count; ++a) {
    for (std::size_t b = 0; b <= a; ++b, ++k) {
      rows[a][b] = sums.product[k];
      rows[b][a] = sums.product[k];
    }
  }
  const double part = 1.0 / 512 + 4 / (samples + 1);
  for (std::size_t a = 0; a < count; ++a) {
    // Features that rarely exceed a twentieth of a step are rounding noise.
    const double pull = part * rows[a][a] + samples / 512;
    rows[a][a] += pull;
    rows[a][count] = sums.target[a] + pull * prior[a];
  }
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t a = k + 1; a < count; ++a) {
      const double f = rows[a][k] / rows[k][k];
      for (std::size_t b = k; b <= count; ++b) rows[a][b] -= f * rows[k][b];
    }
  for (std::size_t a = count; a-- > 0;) {
    double sum = rows[a][count];
    for (std::size_t b = a + 1; b < count; ++b) sum -= rows[a][b] * weights[b];
    weights[a] = sum / rows[a][a];
  }
}

// Weights of the features of length, along and across for new molecules.
GPZ_HD std::array<std::array<double, shape_features>, 3> usual_shape() {
  return {{{0, 0.5, 0.5}, {0, 1, 0}, {0.3, 0.3, 0}}};
}

// Fits of a class after a frame.
GPZ_HD void update_fit(const ClassSums &sums, ClassFit &fit) {
  const std::array<double, motion_features> nothing{};
  const auto usual = usual_shape();
  if (sums.count == 0) return;
  if (sums.samples > 0) {
    solve(sums.motion, sums.samples, nothing, fit.motion);
    for (std::size_t k = 0; k < fit.shape.size(); ++k) solve(sums.shape[k], sums.samples, usual[k], fit.shape[k]);
  }
  fit.length_deviation = core::max_of(mean_to_deviation * sums.off_length / sums.count, least_deviation);
  fit.along_deviation = core::max_of(mean_to_deviation * sums.off_along / sums.count, least_deviation);
  fit.bend = core::max_of(sums.bend / sums.count, least_bend);
  fit.bend2 = core::max_of(sums.bend2 / sums.count, least_bend);
  fit.mean_length = sums.length / sums.count;
  fit.mean_along = sums.along / sums.count;
  fit.has_along = true;
}

}  // namespace gpz::molecule
