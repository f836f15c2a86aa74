// SPDX-License-Identifier: BSD-3-Clause
// Fits of a class: how its particles move, and how far they are from their prediction. Encoder and decoder compute them
// from earlier frames in one fixed order of operations, so that all machines get the same bits (docs/format.md, section
// 9c).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/config.hpp"

namespace gpz::molecule {

// Sums of products of features with each other and with the target.
template <std::size_t count>
struct FitSums {
  std::array<double, count *(count + 1) / 2> product{};
  std::array<double, count> target{};

  GPZ_HD void add(const std::array<double, count> &features, double actual) {
    std::size_t k = 0;
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b <= a; ++b) product[k++] += features[a] * features[b];
      target[a] += features[a] * actual;
    }
  }
  GPZ_HD void add(const FitSums &other) {
    for (std::size_t k = 0; k < product.size(); ++k) product[k] += other.product[k];
    for (std::size_t k = 0; k < count; ++k) target[k] += other.target[k];
  }
  GPZ_HD void fade(double part) {
    for (double &x : product) x *= part;
    for (double &x : target) x *= part;
  }
};

inline constexpr std::size_t motion_features = 4;
inline constexpr std::size_t shape_features = 3;

// Sums over the particles of a class.
struct ClassSums {
  FitSums<motion_features> motion;
  std::array<FitSums<shape_features>, 3> shape;  // length, along, across
  double samples = 0;                            // number of particles in the sums above
  // Over all particles, from here on. For roots, off_length sums distances from the expected position, and the others
  // are 0.
  double count = 0;
  double off_length = 0;  // |length - expected|
  double off_along = 0;
  double bend = 0;  // 1 - cosine of the angle between the bond vector and the expected one
  double bend2 = 0;
  double length = 0;
  double along = 0;

  void add(const ClassSums &other);
  void fade();
};

struct ClassFit {
  std::array<double, motion_features> motion{};
  std::array<std::array<double, shape_features>, 3> shape{};
  double length_deviation = 0;  // in grid steps; for roots, of one component of the displacement
  double along_deviation = 0;
  double bend = 0.04;
  double bend2 = 0.08;
  double mean_length = 0;
  double mean_along = 0;
  bool has_along = false;

  // Start values for bonds of this length, 0 for roots.
  static ClassFit first(double length);
  // Start values in quarter octaves, as the section of the first frame stores them.
  struct Levels {
    std::uint8_t length = 0;  // of the deviations
    std::uint8_t along = 0;
    std::uint8_t bend = 0;
  };
  Levels levels() const;
  void take(const Levels &levels);
  // Call after each frame.
  void update(const ClassSums &sums);
};

struct ClassRecord {
  ClassSums sums;
  ClassFit fit;
};

}  // namespace gpz::molecule
