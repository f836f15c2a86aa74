// SPDX-License-Identifier: BSD-3-Clause
// Positions of particles in the box: bond vectors and images (docs/format.md, section 9c).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/molecule/images.hpp"
#include "gpz/molecule/memory.hpp"
#include "gpz/molecule/stored_particles.hpp"
#include "gpz/molecule/tree.hpp"
#include "gpz/molecule/walk.hpp"

namespace gpz::molecule {

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
  const bool is_root = links.parent == 0;
  const Way way = difference_of(place, is_root ? place_of(scene.last, i) : parent);
  return find_move(scene.cell, is_root, way, scene.walk.now[i - links.parent].moved, scene.walk.last[i].way, now);
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
