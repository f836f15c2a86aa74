// SPDX-License-Identifier: BSD-3-Clause
// Which particles of a chunk are bound to earlier ones: the encoder finds fixed distances in the positions alone,
// without a topology (docs/format.md, section 10b; docs/decisions/0023).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/memory.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/model/bond_geometry.hpp"

namespace gpz::model {

// At most one kind of bonds for each particle. Particles have slots; parents are in slots before.
class Bonds {
 public:
  static constexpr std::size_t max_kinds = 63;
  static constexpr std::uint32_t max_bond_lag = 255;  // slots

  bool empty() const { return kinds_.empty(); }
  std::size_t particles() const { return kind_.size(); }
  const std::vector<BondKind> &kinds() const { return kinds_; }
  // Particles whose bonds are fixed.
  std::size_t fixed() const;
  // 0: not bound; k: kinds()[k - 1]. Its lags are not larger than the slot.
  std::uint8_t kind(std::size_t slot) const { return kind_[slot]; }
  // nullptr: not bound.
  const BondKind *of(std::size_t slot) const { return kind_[slot] == 0 ? nullptr : &kinds_[kind_[slot] - 1u]; }

  // Encoder: finds the bonds of n particles with three components. Empty if there are too few of fixed length.
  static Bonds find(const cpu::IndexColumns &q, std::size_t n, const core::GridBox &box);

  // Appends them to `bytes` (a multiple of 8 bytes); not if there are none.
  void append(std::vector<std::uint8_t> &bytes) const;
  // Of n particles, from the first of `size` bytes on. Returns the bytes read. Throws corrupt, std::bad_alloc,
  // limit_exceeded.
  std::size_t read(const std::uint8_t *bytes, std::size_t size, std::size_t n);

  // Both sides, after a frame: the slots whose bonds of fixed lengths did not hold in it, and their end.
  format::Column<std::uint32_t> broken(const cpu::IndexColumns &q, const core::GridBox &box) const;
  void end(const format::Column<std::uint32_t> &slots);
  // Both sides: other particles, as cpu::DifferenceState::keep and add. Bonds whose slots are no longer as far apart as
  // they were end; new particles have none.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);
  void forget();

  std::size_t memory_usage() const { return cpu::memory_of(kinds_, kind_); }

 private:
  void sort_kinds();

  std::vector<BondKind> kinds_;
  format::Column<std::uint8_t> kind_;
};

}  // namespace gpz::model
