// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "bench/generators.hpp"
#include "bench/random.hpp"

namespace gpz::bench {

Cloud generate_orbits(const CloudShape &shape, std::uint64_t seed) {
  constexpr double innermost = 0.4;
  constexpr double outermost = 30;
  Cloud cloud(shape.type, shape.layout, 2, shape.particles);
  Random random(seed);
  for (std::size_t p = 0; p < shape.particles; ++p) {
    const double rank = (static_cast<double>(p) + random.uniform()) / static_cast<double>(shape.particles);
    const double axis = innermost + (outermost - innermost) * rank;
    const double share = random.uniform();
    const double eccentricity = 0.1 * share * share;
    const auto anomaly = random.on_circle();    // of the eccentric anomaly
    const auto periapsis = random.on_circle();  // direction of the closest approach
    const double along = axis * (anomaly[0] - eccentricity);
    const double across = axis * std::sqrt(1 - eccentricity * eccentricity) * anomaly[1];
    cloud.set(p, 0, along * periapsis[0] - across * periapsis[1]);
    cloud.set(p, 1, along * periapsis[1] + across * periapsis[0]);
  }
  return cloud;
}

}  // namespace gpz::bench
