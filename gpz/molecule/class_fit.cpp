// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/molecule/class_fit.hpp"

#include <algorithm>
#include <cmath>

#include "gpz/molecule/fit_formulas.hpp"

namespace gpz::molecule {
namespace {

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
  fit.shape = usual_shape();
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

void ClassFit::update(const ClassSums &sums) { update_fit(sums, *this); }

}  // namespace gpz::molecule
