// SPDX-License-Identifier: BSD-3-Clause
// Positions of particles in the box: bond vectors and images (docs/format.md, section 9c).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/molecule/memory.hpp"
#include "gpz/molecule/stored_particles.hpp"
#include "gpz/molecule/tree.hpp"
#include "gpz/molecule/walk.hpp"

namespace gpz::molecule {

// Images as numbers. Each component is -1, 0 or 1.
inline constexpr std::uint32_t images = 27;
inline std::uint32_t number_of(const Image &image) {
  return static_cast<std::uint32_t>(image[0] + 1 + 3 * (image[1] + 1) + 9 * (image[2] + 1));
}
inline Image image_of(std::uint32_t number) {
  const auto digit = [&](std::uint32_t unit) {
    return static_cast<std::int8_t>(static_cast<int>(number / unit % 3) - 1);
  };
  return {digit(1), digit(3), digit(9)};
}

// A particle's position before its image is applied, and its likely images: `stays` is the image of the last frame,
// `wraps` lies inside the box.
struct Candidates {
  Way place;
  Image stays;
  Image wraps;

  Candidates(const Cell &cell, const Way &at, const Image &last)
      : place(at), stays(last), wraps(cell.holds(at) ? Image{} : cell.wrap(at)) {}
  bool differ() const { return !are_equal(stays, wraps); }
};

// Inputs of the pass and its sides.
struct Scene {
  Walk walk;
  Cell cell;
  bool is_quiet = false;  // no images are coded where both candidates agree
  const StoredParticles *stored = nullptr;
  codec::IndexColumns last{};
};

// Computes bond vector, displacement and image of a particle at `place`, whose parent is at `parent`. Returns false if
// the particle is an exception.
inline bool find_move(const Scene &scene, std::size_t i, const Way &place, const Way &parent, Particle &now) {
  const Links &links = (*scene.walk.tree)[i];
  const Particle::Steps last_way = scene.walk.last[i].way;  // `now` may be the same particle
  const bool is_root = links.parent == 0;
  Way way = difference_of(place, is_root ? place_of(scene.last, i) : parent);
  now.image = scene.cell.shorten(way);
  const Particle::Steps steps = limited_steps(way, is_root ? longest_move : longest_way);
  const bool is_near = Way{steps[0], steps[1], steps[2]} == way;
  if (is_root) {
    now.moved = steps;
    return is_near;
  }
  now.way = steps;
  const Particle &moved = scene.walk.now[i - links.parent];
  for (std::size_t d = 0; d < steps.size(); ++d)
    now.moved[d] = core::limited(std::int64_t{moved.moved[d]} + steps[d] - last_way[d], longest_move);
  return is_near;
}

// Position of a particle before its image is applied. `now` has its bond vector or displacement.
inline Way open_place(const Scene &scene, std::size_t i, const Particle &now, const codec::IndexColumns &q) {
  const Links &links = (*scene.walk.tree)[i];
  const Particle::Steps &steps = links.parent == 0 ? now.moved : now.way;
  const Way from = links.parent == 0 ? place_of(scene.last, i) : place_of(q, i - links.parent);
  return sum_of(from, {steps[0], steps[1], steps[2]});
}
inline Image usual_image(const Scene &scene, std::size_t i) {
  return (*scene.walk.tree)[i].parent == 0 ? Image{} : scene.walk.last[i].image;
}

}  // namespace gpz::molecule
