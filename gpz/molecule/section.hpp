// SPDX-License-Identifier: BSD-3-Clause
// Coding 9: positions of a difference frame as those of molecules (docs/format.md, section 9c).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/memory.hpp"
#include "gpz/molecule/cell.hpp"
#include "gpz/molecule/class_fit.hpp"
#include "gpz/molecule/memory.hpp"
#include "gpz/molecule/tree.hpp"

namespace gpz::molecule {

// What a section changes if it stays.
struct Update {
  std::optional<Tree> tree;
  format::Column<Particle> particles;
  std::vector<ClassRecord> classes;
  std::uint64_t frames = 0;  // of the history, with this one

  // Of a new tree: particles whose bonds have much the same length from frame to frame.
  std::size_t firmly_bound() const;
};

// What writer and reader remember of the molecules of a chunk, since the independent chunk.
class State {
 public:
  bool empty() const { return tree_.empty(); }
  void commit(Update &&update);
  // Other particles, as cpu::DifferenceState::keep and add; before those of the DifferenceState.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);

  std::size_t memory_usage() const { return tree_.memory_usage() + cpu::memory_of(particles_, spare_, classes_); }

 private:
  friend class SectionCoder;
  friend void decode(State &molecules, const cpu::DifferenceState &state, const std::uint8_t *bytes, std::size_t size,
                     const core::GridBox &axes, int threads, const cpu::IndexOutput &q);

  Tree tree_;
  format::Column<Particle> particles_;
  format::Column<Particle> spare_;  // of a reader: those before, of the same tree, which the next section writes over
  std::vector<ClassRecord> classes_;
  std::uint64_t frames_ = 0;
};

// Of an encoder: the edges of the box.
struct Edges {
  core::GridBox axes{};  // for boxes that are not tilted
  bool is_tilted = false;
  core::GridBox tilted_axes{};
  Cell::Tilts tilts{};
};

// Appends the section of frame q (a multiple of 8 bytes) to `bytes`, for a state of three components with particles.
// Its update is to be committed if the section stays. Nothing, and no section, if there are no molecules. Throws
// std::bad_alloc.
std::optional<Update> encode(const State &molecules, const cpu::DifferenceState &state, const cpu::IndexColumns &q,
                             const Edges &edges, std::vector<std::uint8_t> &bytes);

// The inverse, for a section of exactly `size` bytes, aligned to 4; commits what the section changes. Throws gpz::Error
// (corrupt); q and `molecules` are unspecified then.
void decode(State &molecules, const cpu::DifferenceState &state, const std::uint8_t *bytes, std::size_t size,
            const core::GridBox &axes, int threads, const cpu::IndexOutput &q);

}  // namespace gpz::molecule
