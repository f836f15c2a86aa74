// SPDX-License-Identifier: BSD-3-Clause
// State of a particle of a molecule, kept from frame to frame (docs/format.md, section 9c).
#pragma once

#include <array>
#include <cstdint>

#include "gpz/core/residual.hpp"
#include "gpz/crystal/vector3.hpp"
#include "gpz/molecule/cell.hpp"

namespace gpz::molecule {

using crystal::Vector3;
using crystal::operator+;
using crystal::operator-;
using crystal::operator*;

// Limits, in grid steps, on the components of bond vectors and of displacements of roots. Particles beyond them are
// exceptions.
inline constexpr std::int64_t longest_way = std::int64_t{1} << 20;
inline constexpr std::int64_t longest_move = std::int64_t{1} << 29;

struct Particle {
  using Steps = std::array<std::int32_t, core::max_components>;

  Steps way{};                   // bond vector from the parent; 0 for a root
  Steps moved{};                 // last displacement
  Steps before{};                // the displacement before that
  std::array<float, 3> place{};  // last coordinates in the local frame, in grid steps
  std::array<float, 3> mean{};   // mean of these coordinates
  float length = 0;              // of the bond vector
  float mean_length = 0;
  float scale = 1;          // size of residuals, relative to its class
  Image image{};            // of the particle, relative to the one that `way` reaches
  std::uint8_t known = 0;   // axes of the local frame
  std::uint8_t frames = 0;  // in the means, up to `mean_frames`
  std::uint8_t sizes = 0;   // in the scale, up to `scale_frames`
};

inline constexpr int mean_frames = 16;
inline constexpr int scale_frames = 12;

GPZ_HD Vector3 vector_of(const Particle::Steps &steps) {
  return {static_cast<double>(steps[0]), static_cast<double>(steps[1]), static_cast<double>(steps[2])};
}
GPZ_HD Particle::Steps limited_steps(const Way &way, std::int64_t most) {
  return {core::limited(way[0], most), core::limited(way[1], most), core::limited(way[2], most)};
}

}  // namespace gpz::molecule
