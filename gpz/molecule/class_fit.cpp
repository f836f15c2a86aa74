// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/molecule/class_fit.hpp"

#include <algorithm>
#include <cmath>

namespace gpz::molecule {
namespace {

constexpr double fading = 0.75;             // factor on the sums for each frame
constexpr double mean_to_deviation = 1.25;  // standard deviation of normal residuals over their mean magnitude
constexpr double least_deviation = 0.3;     // in grid steps
constexpr double least_bend = 1e-6;

// Solves the normal equations by elimination, row after row. The addition to the diagonal pulls the solution towards
// `prior`.
template <std::size_t count>
void solve(const FitSums<count> &sums, double samples, const std::array<double, count> &prior,
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

// Levels are quarter octaves.
double power_of(std::uint8_t level, int from) {
  constexpr double part[4] = {1, 1.189207115002721, 1.4142135623730951, 1.681792830507429};
  return std::ldexp(part[level % 4], level / 4 + from);
}
std::uint8_t level_of(double x, int from) {
  std::uint8_t level = 0;
  while (level < UINT8_MAX && power_of(static_cast<std::uint8_t>(level + 1), from) <= x) ++level;
  return level;
}
constexpr int least_deviation_octave = -2;
constexpr int least_bend_octave = -24;

constexpr std::array<std::array<double, shape_features>, 3> usual_shape{{{0, 0.5, 0.5}, {0, 1, 0}, {0.3, 0.3, 0}}};

}  // namespace

void ClassSums::add(const ClassSums &other) {
  motion.add(other.motion);
  for (std::size_t k = 0; k < shape.size(); ++k) shape[k].add(other.shape[k]);
  samples += other.samples;
  count += other.count;
  off_length += other.off_length;
  off_along += other.off_along;
  bend += other.bend;
  bend2 += other.bend2;
  length += other.length;
  along += other.along;
}

void ClassSums::fade() {
  motion.fade(fading);
  for (auto &sums : shape) sums.fade(fading);
  for (double *const x : {&samples, &count, &off_length, &off_along, &bend, &bend2, &length, &along}) *x *= fading;
}

ClassFit ClassFit::first(double length) {
  ClassFit fit;
  fit.shape = usual_shape;
  fit.mean_length = length;
  fit.length_deviation = length == 0 ? 32 : std::max(length / 32, 0.6);
  fit.along_deviation = std::max(length / 10, 0.6);
  return fit;
}

ClassFit::Levels ClassFit::levels() const {
  return {level_of(length_deviation, least_deviation_octave), level_of(along_deviation, least_deviation_octave),
          level_of(bend, least_bend_octave)};
}

void ClassFit::take(const Levels &levels) {
  length_deviation = power_of(levels.length, least_deviation_octave);
  along_deviation = power_of(levels.along, least_deviation_octave);
  // A bend of 1 means that all directions are equally likely.
  bend = std::min(power_of(levels.bend, least_bend_octave), 1.0);
  bend2 = 2 * bend - bend * bend * 4 / 3;
}

void ClassFit::update(const ClassSums &sums) {
  if (sums.count == 0) return;
  if (sums.samples > 0) {
    solve(sums.motion, sums.samples, {}, motion);
    for (std::size_t k = 0; k < shape.size(); ++k) solve(sums.shape[k], sums.samples, usual_shape[k], shape[k]);
  }
  length_deviation = std::max(mean_to_deviation * sums.off_length / sums.count, least_deviation);
  along_deviation = std::max(mean_to_deviation * sums.off_along / sums.count, least_deviation);
  bend = std::max(sums.bend / sums.count, least_bend);
  bend2 = std::max(sums.bend2 / sums.count, least_bend);
  mean_length = sums.length / sums.count;
  mean_along = sums.along / sums.count;
  has_along = true;
}

}  // namespace gpz::molecule
