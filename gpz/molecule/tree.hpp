// SPDX-License-Identifier: BSD-3-Clause
// Molecules as trees: every particle is bound to an earlier one, its parent, or is a root (docs/format.md, section 9c).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/memory.hpp"
#include "gpz/codec/parallel.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/molecule/cell.hpp"
#include "gpz/molecule/class_keys.hpp"
#include "gpz/molecule/links.hpp"

namespace gpz::molecule {

inline Way place_of(const codec::IndexColumns &q, std::size_t i) { return {q[0][i], q[1][i], q[2][i]}; }

class Tree {
 public:
  static constexpr std::size_t longest_lag = 255;  // slots
  static constexpr std::size_t max_lags = 63;      // different ones
  static constexpr std::size_t max_classes = molecule::max_classes;
  static constexpr std::uint8_t lone_class = 0;
  static constexpr std::size_t segment_size = 4096;  // particles, at least

  bool empty() const { return links_.empty(); }
  std::size_t particles() const { return links_.size(); }
  const Links &operator[](std::size_t slot) const { return links_[slot]; }
  std::size_t classes() const { return members_.size(); }
  // Number of particles of a class when the tree was built.
  std::size_t members(std::size_t of_class) const { return members_[of_class]; }
  // Ends of the segments, ascending. The last one is the number of particles. Segments are decoded independently: no
  // parent is in another segment.
  const std::vector<std::uint32_t> &segment_ends() const { return ends_; }

  // Removes all particles and keeps the memory.
  void clear();
  // Builds the tree from the lag of each particle, 0 for roots. Bond lengths follow from the positions q.
  void build(const format::Column<std::uint8_t> &lags, const codec::IndexColumns &q, const Cell &cell, int threads = 1);
  // The same without classes.
  void link(const format::Column<std::uint8_t> &lags, int threads = 1);
  // Calls work(t, first, last) for thread t and ranges of particles that are whole segments, which do not depend on
  // each other. Uses fewer than `threads` if there are few segments.
  template <typename Work>
  void for_segments(int threads, const Work &work) const {
    codec::parallel_ranges(threads_for(threads), ends_.size(), [&](int t, std::uint64_t from, std::uint64_t to) {
      if (from != to) work(t, from == 0 ? std::size_t{0} : ends_[from - 1], std::size_t{ends_[to - 1]});
    });
  }
  // How many threads for_segments() uses.
  int threads_for(int threads) const { return codec::thread_count(threads, (ends_.size() + 1) / 2); }
  // Encoder: finds molecules by the distances in two frames. Returns no lags if fewer than an eighth of the particles
  // are bound.
  static format::Column<std::uint8_t> find(const codec::IndexColumns &before, const codec::IndexColumns &now,
                                           std::size_t n, const Cell &cell, int threads = 1);

  // Appends the lags, a multiple of 8 bytes.
  void append(std::vector<std::uint8_t> &bytes, int threads = 1) const;
  // Reads the lags of n particles from the start of `bytes`, which has `size` bytes. Returns the number of bytes read.
  // Throws corrupt, std::bad_alloc, limit_exceeded.
  static std::size_t read(const std::uint8_t *bytes, std::size_t size, std::size_t n,
                          format::Column<std::uint8_t> &lags);
  // Bytes that read() needs. `bytes` are the first ones of `size`, at least first_bytes if there are as many.
  static constexpr std::size_t first_bytes = 72;
  static std::size_t bytes_to_read(const std::uint8_t *bytes, std::size_t size);

  // Takes classes that were computed elsewhere, from the same lags and other positions: their particles, and the class
  // of each particle.
  void set_members(const std::vector<std::uint32_t> &members) { members_ = members; }
  void set_class(std::size_t slot, std::uint8_t of_class) { links_[slot].of_class = of_class; }

  // Particles leave or arrive, as in codec::DifferenceState::keep and add. New particles, and those whose parent left,
  // are roots.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);

  std::size_t memory_usage() const { return codec::memory_of(links_, members_, ends_); }

 private:
  void find_segments();
  bool can_end_at(std::size_t &slot) const;
  void connect(std::size_t first, std::size_t last);
  void classify(const codec::IndexColumns &q, const Cell &cell, int threads);

  format::Column<Links> links_;
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace gpz::molecule
