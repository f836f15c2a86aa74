// SPDX-License-Identifier: BSD-3-Clause
// The particles of a crystal joined by the springs of a lattice: neighbours, ideal positions, and the forces of the
// springs on displacements from these (docs/format.md, section 10c).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/codec/memory.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/crystal/spring_lattice.hpp"
#include "gpz/format/budget.hpp"

namespace gpz::crystal {

class SpringNetwork {
 public:
  // Finds neighbours and ideal positions from the last indices. Returns false if particles are too close to each other
  // or the box is too large.
  bool build(const SpringLattice &lattice, const codec::DifferenceState &state, const core::GridBox &box,
             int threads = 1);

  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);

  std::size_t particles() const { return placed_.size(); }
  const SpringLattice &lattice() const { return lattice_; }
  // Neighbours of a particle along vector k (entry 2 k) and against it (entry 2 k + 1). A missing neighbour is replaced
  // by the particle itself.
  std::size_t degree() const { return 2 * lattice_.vectors.size(); }
  const std::uint32_t *neighbours(std::size_t i) const { return &neighbours_[i * degree()]; }
  bool is_placed(std::size_t i) const { return placed_[i] != 0; }
  std::size_t placed() const { return static_cast<std::size_t>(std::count(placed_.begin(), placed_.end(), 1)); }

  // Vector from the ideal position of particle i, which must have one, to index q, in 1/64 grid steps, limited to
  // +-2^29.
  std::int32_t offset_from_ideal(std::size_t i, std::size_t d, std::int64_t q, const core::GridAxis &axis) const;

  // Computes out = 2 (pull(in) - in) - before, limited; without `before`, out = pull(in) - in. `before` may be `out`.
  void step(const LatticeField &in, const LatticeField *before, LatticeField &out, int threads = 1) const;
  // Call when the springs of `lattice` have changed.
  void use_springs(const SpringLattice &lattice);

  std::size_t memory_usage() const { return codec::memory_of(neighbours_, placed_, index_, offset_); }

 private:
  bool find_neighbours(const codec::DifferenceState &state, const core::GridBox &box, int threads);
  void find_ideal_positions();

  SpringLattice lattice_;
  int components_ = 0;
  core::GridBox axes_{};  // when the network was built
  format::Column<std::uint32_t> neighbours_;
  format::Column<std::uint8_t> placed_;
  std::array<format::Column<std::int64_t>, core::max_components> index_;   // when the network was built
  std::array<format::Column<std::int32_t>, core::max_components> offset_;  // of the index from the ideal position
  SpringMatrices springs_;
};

}  // namespace gpz::crystal
