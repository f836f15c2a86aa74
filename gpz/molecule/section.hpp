// SPDX-License-Identifier: BSD-3-Clause
// Coding 9: positions of a difference frame, predicted as molecules (docs/format.md, section 9c).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/memory.hpp"
#include "gpz/molecule/cell.hpp"
#include "gpz/molecule/class_fit.hpp"
#include "gpz/molecule/memory.hpp"
#include "gpz/molecule/tree.hpp"

namespace gpz::molecule {

// Changes that take effect only if the section is kept.
struct Update {
  std::optional<Tree> tree;
  format::Column<Particle> particles;
  std::vector<ClassRecord> classes;
  std::uint64_t frames = 0;  // of the history, including this one

  // For a new tree: number of particles whose bond lengths hardly change between frames.
  std::size_t firmly_bound() const;
};

// Memory for the numbers of an encoder. It is not set to zero: most of it is not used.
class ItemMemory {
 public:
  ItemMemory() = default;
  explicit ItemMemory(std::size_t size) : items_(new std::uint64_t[size]), size_(size) {}
  // The content is not copied.
  ItemMemory(const ItemMemory & /*other*/) {}
  ItemMemory &operator=(const ItemMemory & /*other*/) { return *this; }
  ItemMemory(ItemMemory &&) = default;
  ItemMemory &operator=(ItemMemory &&) = default;
  ~ItemMemory() = default;

  std::uint64_t *data() { return items_.get(); }
  std::size_t size() const { return items_ == nullptr ? 0 : size_; }

 private:
  std::unique_ptr<std::uint64_t[]> items_;
  std::size_t size_ = 0;
};

// State of the molecules of a chunk in encoder and decoder, since the independent chunk.
class State {
 public:
  bool empty() const { return tree_.empty(); }
  void commit(Update &&update);
  // Begins anew at an independent chunk. Keeps the memory for the next tree, which is often the same.
  void restart();
  // Particles leave or arrive, as in codec::DifferenceState::keep and add. Call before the DifferenceState changes.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);

  // For an encoder on a GPU that goes on from here. `frames`: of the history, including that of the last section.
  const Tree &tree() const { return tree_; }
  const format::Column<Particle> &particles() const { return particles_; }
  const std::vector<ClassRecord> &classes() const { return classes_; }
  std::uint64_t frames() const { return frames_; }

  std::size_t memory_usage() const;

 private:
  friend class SectionCoder;
  friend void decode(State &molecules, const codec::DifferenceState &state, const std::uint8_t *bytes, std::size_t size,
                     const core::GridBox &axes, int threads, const codec::IndexOutput &q);

  Tree tree_;
  format::Column<Particle> particles_;
  std::vector<ClassRecord> classes_;
  std::uint64_t frames_ = 0;
  // Memory of earlier sections for the next one. Encoders: particles of the frame before the last one, unless they
  // moved to other slots since.
  format::Column<Particle> spare_;
  std::vector<std::vector<ClassSums>> sums_;
  ItemMemory items_;
};

// Encoder: edges of the box.
struct Edges {
  core::GridBox axes{};  // for boxes without tilts
  bool is_tilted = false;
  core::GridBox tilted_axes{};
  Cell::Tilts tilts{};
};

// Appends the section of frame q, a multiple of 8 bytes, for a state of three components and at least one particle.
// Commit the update if the section is kept; until then `molecules` changes only memory whose content is out of date.
// Returns and appends nothing if there are no molecules. Throws std::bad_alloc.
std::optional<Update> encode(State &molecules, const codec::DifferenceState &state, const codec::IndexColumns &q,
                             const Edges &edges, std::vector<std::uint8_t> &bytes, int threads = 1);

// Inverse of encode, for a section of exactly `size` bytes, aligned to 4. Commits the changes of the section. Throws
// gpz::Error (corrupt); q is unspecified and `molecules` is empty then.
void decode(State &molecules, const codec::DifferenceState &state, const std::uint8_t *bytes, std::size_t size,
            const core::GridBox &axes, int threads, const codec::IndexOutput &q);

}  // namespace gpz::molecule
