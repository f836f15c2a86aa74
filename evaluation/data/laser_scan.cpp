// SPDX-License-Identifier: BSD-3-Clause
#include "laser_scan.hpp"

#include <cmath>

#include "random.hpp"

namespace gpz::bench::data {
namespace {

constexpr double spacing = 0.5;  // metres, of points in a line and of lines
constexpr std::size_t points_in_line = 1000;
constexpr double strip_distance = 400;  // metres; a line of 500 leaves some overlap

// Value noise: random heights at the corners of a square lattice, smooth between them; -1 to 1.
class ValueNoise {
 public:
  explicit ValueNoise(std::uint64_t seed) : seed_(seed) {}

  double at(double x, double y) const {
    const double corner_x = std::floor(x);
    const double corner_y = std::floor(y);
    const auto i = static_cast<std::int64_t>(corner_x);
    const auto j = static_cast<std::int64_t>(corner_y);
    const double u = smooth(x - corner_x);
    const double v = smooth(y - corner_y);
    const double low = mixture(corner(i, j), corner(i + 1, j), u);
    const double high = mixture(corner(i, j + 1), corner(i + 1, j + 1), u);
    return mixture(low, high, v);
  }

 private:
  static double smooth(double t) { return t * t * (3 - 2 * t); }
  static double mixture(double a, double b, double t) { return a + (b - a) * t; }
  double corner(std::int64_t i, std::int64_t j) const {
    const std::uint64_t row = mixed(seed_ + static_cast<std::uint64_t>(j));
    return static_cast<double>(mixed(row + static_cast<std::uint64_t>(i)) >> 11) * 0x1p-52 - 1;
  }

  std::uint64_t seed_;
};

double ground_height(std::uint64_t seed, double x, double y) {
  double height = 0;
  double amplitude = 100;
  double wavelength = 1024;
  for (std::uint64_t octave = 0; octave < 8; ++octave) {
    height += amplitude * ValueNoise(mixed(seed + octave)).at(x / wavelength, y / wavelength);
    amplitude /= 2;
    wavelength /= 2;
  }
  return height;
}

std::size_t lines_in_strip(std::size_t particles) {
  const std::size_t lines = (particles + points_in_line - 1) / points_in_line;
  // About as long as all strips are wide together.
  const double square = static_cast<double>(lines) * strip_distance / spacing;
  return static_cast<std::size_t>(std::sqrt(square)) + 1;
}

}  // namespace

std::vector<std::array<double, 3>> laser_scan(std::size_t particles, std::uint64_t seed) {
  std::vector<std::array<double, 3>> points(particles);
  Random random(seed);
  const ValueNoise forest(mixed(seed + 100));
  const std::size_t lines = lines_in_strip(particles);
  for (std::size_t p = 0; p < particles; ++p) {
    const std::size_t line = p / points_in_line;
    const std::size_t strip = line / lines;
    const bool to_the_left = line % 2 == 1;
    const bool back = strip % 2 == 1;
    // The aircraft moves on by one line while the mirror sweeps it.
    const double swept = static_cast<double>(p % points_in_line);
    const double across = to_the_left ? static_cast<double>(points_in_line - 1) - swept : swept;
    const double flown = static_cast<double>(line % lines) + swept / static_cast<double>(points_in_line);
    const double along = back ? static_cast<double>(lines) - flown : flown;
    const double x = strip_distance * static_cast<double>(strip) + spacing * across + random.uniform(-0.05, 0.05);
    const double y = spacing * along + random.uniform(-0.05, 0.05);
    double z = ground_height(seed, x, y) + 0.005 * random.bell();
    const bool crown = random.uniform() < 0.4;
    const double share = random.uniform();
    if (crown && forest.at(x / 60, y / 60) > 0.2) z += 25 * share;
    points[p] = {x, y, z};
  }
  return points;
}

}  // namespace gpz::bench::data
