// SPDX-License-Identifier: BSD-3-Clause
// Molecules of a key interval, and the order in which their particles are coded (docs/format.md, section 9d).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/memory.hpp"
#include "gpz/lanes/layout.hpp"

namespace gpz::lanes {

struct Plan {
  Molecules molecules;
  Layout layout;

  std::size_t memory_usage() const {
    return layout.memory_usage() + molecules.tree.memory_usage() + molecules.short_bonds.memory_usage() +
           codec::memory_of(molecules.of_class);
  }
};

// Particles of a block, for encoders.
inline constexpr std::uint32_t particles_a_block = 12288;

// Encoder: finds molecules in two frames, which are the same one for a key frame. nullptr: there are none.
std::shared_ptr<Plan> find_plan(const codec::IndexColumns &last, const codec::IndexColumns &now, std::size_t particles,
                                const molecule::Cell &cell, int threads);

// Encoder: a plan without bonds. Steps of particles that have moved by about the same are of one class.
std::shared_ptr<Plan> plan_without_bonds(const codec::IndexColumns &last, const codec::IndexColumns &now,
                                         std::size_t particles, const molecule::Cell &cell);

// Encoder: of each class, whether the component of a bond along its axis varies so much, from frame to frame or in a
// key frame from particle to particle, that the axis does not help.
std::vector<bool> loose_classes(const Molecules &molecules, const codec::IndexColumns &last,
                                const codec::IndexColumns &now, const molecule::Cell &cell);

void append_plan(const Molecules &molecules, std::vector<std::uint8_t> &bytes, int threads);
// Reads a plan of exactly `size` bytes. Throws corrupt, limit_exceeded, std::bad_alloc.
std::shared_ptr<Plan> read_plan(const std::uint8_t *bytes, std::size_t size, std::size_t particles, int threads);

}  // namespace gpz::lanes
