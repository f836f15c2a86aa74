// SPDX-License-Identifier: BSD-3-Clause
// Molecules as trees: every particle is bound to an earlier one, its parent, or is a root (docs/format.md, section 9d).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/memory.hpp"
#include "gpz/codec/parallel.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/molecule/cell.hpp"
#include "gpz/molecule/links.hpp"

namespace gpz::molecule {

inline GridVector position_of(const codec::IndexColumns &q, std::size_t i) { return {q[0][i], q[1][i], q[2][i]}; }

class Tree {
 public:
  static constexpr std::size_t longest_lag = 255;    // slots
  static constexpr std::size_t max_lags = 63;        // different ones
  static constexpr std::size_t segment_size = 4096;  // particles, at least

  bool empty() const { return links_.empty(); }
  std::size_t particles() const { return links_.size(); }
  const Links &operator[](std::size_t slot) const { return links_[slot]; }
  // Ends of the segments, ascending. The last one is the number of particles. Segments are decoded independently: no
  // parent is in another segment.
  const std::vector<std::uint32_t> &segment_ends() const { return ends_; }

  // From the lag of each particle, 0 for roots.
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

  std::size_t memory_usage() const { return codec::memory_of(links_, ends_); }

 private:
  void find_segments();
  bool can_end_at(std::size_t &slot) const;
  void connect(std::size_t first, std::size_t last);

  format::Column<Links> links_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace gpz::molecule
