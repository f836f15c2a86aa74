// SPDX-License-Identifier: BSD-3-Clause
// Frames of simulated matter: positions, ids and velocities, and larger frames from copies of a box.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "matter.hpp"
#include "trajectory_support.hpp"

namespace gpz::test {

// `exchanged`: some particles are missing, others in each frame.
inline Snapshot snapshot_of(const Matter &matter, int frame, double bound, bool exchanged) {
  Snapshot out;
  out.info.timestep = frame;
  out.info.box = matter.box();
  Quantity position;
  position.field.type = ValueType::float64;
  position.field.bound = bound;
  position.field.leading = true;
  Quantity velocity = position;
  velocity.field.leading = false;
  Quantity id;
  id.field.type = ValueType::integer;
  id.field.components = {{"id", 6}};
  for (std::uint16_t d = 0; d < matter.dimension; ++d) {
    position.field.components.push_back({std::string(1, "xyz"[d]), d});
    velocity.field.components.push_back({std::string("v") + "xyz"[d], static_cast<std::uint16_t>(3 + d)});
  }
  for (std::size_t i = 0; i < matter.position.size(); ++i) {
    if (exchanged && (7 * i + static_cast<std::size_t>(frame / 2)) % 13 == 0) continue;
    const Vector x = matter.inside(i);
    for (std::size_t d = 0; d < matter.dimension; ++d) {
      position.add(x[d]);
      velocity.add(matter.velocity[i][d]);
    }
    id.integer.push_back(static_cast<std::int64_t>(i) + 1);
  }
  out.info.particles = id.integer.size();
  out.quantities = {position, id, velocity};
  return out;
}

// Copies of the box side by side, `count` along each axis. Particles that leave their box go into the next copy.
inline Matter copies_of(const Matter &small, std::size_t count) {
  Matter large(1);
  large.dimension = small.dimension;
  large.edges = small.edges;
  for (std::size_t d = 0; d < small.dimension; ++d) large.edges[d] *= static_cast<double>(count);
  const std::size_t layers = small.dimension == 3 ? count : 1;
  for (std::size_t z = 0; z < layers; ++z)
    for (std::size_t y = 0; y < count; ++y)
      for (std::size_t x = 0; x < count; ++x) {
        const Vector shift{static_cast<double>(x) * small.edges[0], static_cast<double>(y) * small.edges[1],
                           static_cast<double>(z) * small.edges[2]};
        for (std::size_t i = 0; i < small.position.size(); ++i) {
          Vector position = small.position[i];
          for (std::size_t d = 0; d < small.dimension; ++d) position[d] += shift[d];
          large.position.push_back(position);
          large.velocity.push_back(small.velocity[i]);
        }
      }
  return large;
}

}  // namespace gpz::test
