// SPDX-License-Identifier: BSD-3-Clause
// Which particle is coded when: blocks, and in them steps of up to 32 particles of one kind whose references are in
// earlier steps (docs/format.md, section 9d).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/step_motion.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/kernels/step_kernels.hpp"
#include "gpz/lanes/classes.hpp"
#include "gpz/molecule/tree.hpp"

namespace gpz::lanes {

// Particles that the formulas of a particle refer to; UINT32_MAX: none.
struct References {
  std::uint32_t parent = UINT32_MAX;
  std::uint32_t axis = UINT32_MAX;
  std::uint32_t second = UINT32_MAX;

  // Calls use(particle) once for each.
  template <typename Use>
  void each(const Use &use) const {
    if (parent != UINT32_MAX) use(parent);
    if (axis != UINT32_MAX && axis != parent) use(axis);
    if (second != UINT32_MAX && second != parent && second != axis) use(second);
  }
};
// As the bonds tell them.
References references_of(const molecule::Tree &tree, std::size_t particle);

// Bonds and classes of particles. Without a tree, particles have no bonds, and those of a step are of one class.
struct Molecules {
  molecule::Tree tree;
  ShortBonds short_bonds;
  format::Column<std::uint8_t> of_class;  // of each particle
  std::vector<core::StepKind> kind;       // of the particles of each class that have an axis; not root

  std::size_t particles() const { return of_class.size(); }
  bool have_bonds() const { return tree.particles() != 0; }
  // Floats that are kept from frame to frame for each slot.
  std::size_t columns_of_means() const { return have_bonds() ? core::step_means : core::motion_columns; }
  core::StepKind kind_of(std::size_t particle) const;
  // A sphere has no axis and no second reference, whatever its bonds are.
  References references_of(std::size_t particle) const;
};

class Layout {
 public:
  static constexpr std::uint32_t nobody = UINT32_MAX;

  // A range of steps, whose particles need no others.
  struct Block {
    std::size_t first, end;
  };

  bool empty() const { return slot_of_.empty(); }
  void clear() { *this = {}; }
  // Blocks have about `particles_a_block` particles. Throws std::bad_alloc, limit_exceeded.
  void build(const Molecules &molecules, std::uint32_t particles_a_block, int threads = 1);

  std::size_t particles() const { return slot_of_.size(); }
  std::size_t slots() const { return particle_at_.size(); }
  const std::vector<Block> &blocks() const { return blocks_; }
  const format::Column<codec::Step> &steps() const { return steps_; }
  // Slot of a particle, and the particle in a slot (nobody: none).
  const format::Column<std::uint32_t> &slot_of() const { return slot_of_; }
  const format::Column<std::uint32_t> &particle_at() const { return particle_at_; }
  // Columns of constants, as classes of the 32 lanes.
  const format::Column<std::uint8_t> &columns() const { return columns_; }
  // Encoder: blocks with enough particles of all classes to fit constants to, after find_sample(), and the steps of
  // them that are enough.
  void find_sample(const Molecules &molecules);
  const std::vector<std::uint32_t> &sample() const { return sample_; }
  const std::vector<std::uint32_t> &sampled_steps() const { return sampled_steps_; }
  // For the kernels.
  codec::StepTable table(const float *constants) const {
    return {steps_.data(), parent_.data(), axis_.data(), second_.data(), constants};
  }

  std::size_t memory_usage() const;

 private:
  void line_up(const Molecules &molecules, std::uint32_t particles_a_block);
  void schedule(const Molecules &molecules, const format::Column<References> &references,
                std::uint32_t particles_a_block, int threads);
  void refer(const Molecules &molecules, const format::Column<References> &references, int threads);
  void sample_steps(const Molecules &molecules);

  std::vector<Block> blocks_;
  format::Column<codec::Step> steps_;
  format::Column<std::uint32_t> slot_of_, particle_at_;
  format::Column<std::uint32_t> parent_, axis_, second_;  // of slots: rows, in integers
  format::Column<std::uint8_t> columns_;
  std::vector<std::uint32_t> sample_, sampled_steps_;  // ascending
};

}  // namespace gpz::lanes
