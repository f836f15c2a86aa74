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
  std::vector<std::uint8_t> stored;  // as sections have it; empty until stored_plan() or read_plan()

  std::size_t memory_usage() const {
    return layout.memory_usage() + molecules.tree.memory_usage() + molecules.short_bonds.memory_usage() +
           codec::memory_of(molecules.of_class, stored);
  }
};

// Particles of a block, for encoders.
inline constexpr std::uint32_t particles_a_block = 12288;

// The two plans that were used last: the next key interval often has the same ones, in its key frame and, if it has
// another one, in its first difference frame. Only time depends on what is known.
class KnownPlans {
 public:
  // The plan that sections have like this. Throws as read_plan().
  const std::shared_ptr<Plan> &read(const std::uint8_t *bytes, std::size_t size, std::size_t particles, int threads);
  // Encoder: a plan that has these molecules, whose classes may be left out, and kinds; nullptr if none is known.
  std::shared_ptr<Plan> find(const Molecules &molecules, bool with_kinds) const;
  // Encoder: a new plan, with its layout.
  const std::shared_ptr<Plan> &make(Molecules &&molecules, int threads);

  // Encoder: the plan of the last key frame, if it is still in use.
  std::shared_ptr<Plan> of_key() const { return key_.lock(); }
  void keep_key(const std::shared_ptr<Plan> &plan) { key_ = plan; }

  bool has(const Plan *plan) const { return last_.get() == plan || before_.get() == plan; }
  std::size_t memory_usage() const;

 private:
  void add(std::shared_ptr<Plan> &&plan);

  std::shared_ptr<Plan> last_, before_;
  std::weak_ptr<Plan> key_;
};

// Encoder: finds molecules in two frames, which are the same one for a key frame. nullptr: there are none.
std::shared_ptr<Plan> find_plan(const codec::IndexColumns &last, const codec::IndexColumns &now, std::size_t particles,
                                const molecule::Cell &cell, KnownPlans &known, int threads);

// Encoder: a plan without bonds. Steps of particles that have moved by about the same are of one class.
std::shared_ptr<Plan> plan_without_bonds(const codec::IndexColumns &last, const codec::IndexColumns &now,
                                         std::size_t particles, const molecule::Cell &cell);
// `octave`: core::octave_of_step of each step.
std::shared_ptr<Plan> plan_without_bonds(const std::vector<std::int8_t> &octave, std::size_t particles);

// Encoder: of each class, whether the component of a bond along its axis varies so much, from frame to frame or in a
// key frame from particle to particle, that the axis does not help.
std::vector<bool> loose_classes(const Molecules &molecules, const codec::IndexColumns &last,
                                const codec::IndexColumns &now, const molecule::Cell &cell);

const std::vector<std::uint8_t> &stored_plan(Plan &plan, int threads);
// Reads a plan of exactly `size` bytes. Throws corrupt, limit_exceeded, std::bad_alloc.
std::shared_ptr<Plan> read_plan(const std::uint8_t *bytes, std::size_t size, std::size_t particles, int threads);

}  // namespace gpz::lanes
