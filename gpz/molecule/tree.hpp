// SPDX-License-Identifier: BSD-3-Clause
// Molecules as trees: every particle is bound to an earlier one, its parent, or is a root (docs/format.md, section 9d).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/memory.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/molecule/cell.hpp"
#include "gpz/molecule/links.hpp"

namespace gpz::molecule {

inline GridVector position_of(const codec::IndexColumns &q, std::size_t i) { return {q[0][i], q[1][i], q[2][i]}; }

class Tree {
 public:
  static constexpr std::size_t longest_lag = 255;  // slots
  static constexpr std::size_t max_lags = 63;      // different ones

  bool empty() const { return links_.empty(); }
  std::size_t particles() const { return links_.size(); }
  const Links &operator[](std::size_t slot) const { return links_[slot]; }

  // From the lag of each particle, 0 for roots.
  void link(const format::Column<std::uint8_t> &lags);
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

  // All links follow from the lags.
  friend bool operator==(const Tree &a, const Tree &b) {
    return std::equal(a.links_.begin(), a.links_.end(), b.links_.begin(), b.links_.end(),
                      [](const Links &x, const Links &y) { return x.parent == y.parent; });
  }

  std::size_t memory_usage() const { return codec::memory_of(links_); }

 private:
  format::Column<Links> links_;
};

}  // namespace gpz::molecule
