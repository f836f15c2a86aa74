// SPDX-License-Identifier: BSD-3-Clause
// Bonds of the particles of a chunk to earlier particles. The encoder finds fixed distances from the positions alone,
// without a topology (docs/format.md, section 10b; docs/decisions/0023).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/memory.hpp"
#include "gpz/codec/number_coder.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/model/bond_geometry.hpp"

namespace gpz::model {

// Each particle has at most one kind of bond. Particles are numbered by slot; parents have lower slots.
class Bonds {
 public:
  static constexpr std::size_t max_kinds = 63;
  static constexpr std::uint32_t max_bond_lag = 255;  // in slots

  bool empty() const { return kinds_.empty(); }
  std::size_t particles() const { return kind_.size(); }
  const std::vector<BondKind> &kinds() const { return kinds_; }
  // Number of particles with fixed bonds.
  std::size_t fixed() const;
  // 0 if not bound, otherwise k for kinds()[k - 1]. The lags of a kind never exceed the slot.
  std::uint8_t kind(std::size_t slot) const { return kind_[slot]; }
  // Null if not bound.
  const BondKind *of(std::size_t slot) const { return kind_[slot] == 0 ? nullptr : &kinds_[kind_[slot] - 1u]; }

  // Encoder: finds the bonds of n particles with three components. Empty if too few bonds have a fixed length.
  static Bonds find(const codec::IndexColumns &q, std::size_t n, const core::GridBox &box, int threads = 1);

  // How the kinds of the particles are stored: in one stream, or (docs/format.md, section 10j) in segments, in which no
  // particle is bound to one of another segment.
  enum class Stream : std::uint8_t { whole, segments };

  // Appends the table of bonds to `bytes`, a multiple of 8 bytes. Must not be called if there are no bonds.
  void append(Stream stream, std::vector<std::uint8_t> &bytes, int threads = 1) const;
  // Reads the table for n particles from the start of `bytes`, which has `size` bytes. Returns the number of bytes
  // read. Throws corrupt, std::bad_alloc, limit_exceeded.
  std::size_t read(const std::uint8_t *bytes, std::size_t size, std::size_t n, Stream stream, int threads = 1);

  // Encoder: ends the bonds to particles of other segments.
  void cut();
  // The bonds of a segment, whose first particle has slot 0 in it. They end with its last particle.
  Bonds part(std::size_t first, std::size_t count) const;

  // Encoder and decoder, after a frame: broken() returns the slots whose fixed lengths did not hold; end() removes
  // bonds.
  format::Column<std::uint32_t> broken(const codec::IndexColumns &q, const core::GridBox &box) const;
  void end(const format::Column<std::uint32_t> &slots);
  // Encoder and decoder: particles leave or arrive, as in codec::DifferenceState::keep and add. A bond ends if its
  // particles are no longer as many slots apart. New particles have no bonds.
  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);
  void forget();

  std::size_t memory_usage() const { return codec::memory_of(kinds_, kind_); }

 private:
  void sort_kinds();
  void read_kinds(codec::NumberDecoder &numbers, std::size_t first, std::size_t count, std::size_t start);

  std::vector<BondKind> kinds_;
  format::Column<std::uint8_t> kind_;
};

}  // namespace gpz::model
