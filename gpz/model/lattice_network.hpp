// SPDX-License-Identifier: BSD-3-Clause
// A crystal as places joined by springs: which particle is the neighbour of which along the vectors of a lattice, where
// the ideal place of each particle is, and how the network pulls at displacements from these places
// (docs/format.md, section 10c).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gpz/codec/difference_codec.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/model/memory.hpp"

namespace gpz::model {

// The way to a neighbour, in 2^-16 grid steps, and the spring that joins the two, in 2^-12: xx yy zz xy xz yz.
struct LatticeVector {
  std::array<std::int64_t, core::max_components> way{};
  std::array<std::int16_t, 6> spring{};

  bool operator==(const LatticeVector &other) const { return way == other.way && spring == other.spring; }
};

struct Lattice {
  static constexpr std::size_t max_vectors = 24;
  static constexpr int way_bits = 16;
  static constexpr int spring_bits = 12;
  static constexpr std::int64_t max_way = std::int64_t{1} << 44;  // 2^28 grid steps
  static constexpr int max_shift = 24;

  std::int64_t tolerance = 0;          // how far from the end of its vector a neighbour may be, in grid steps
  int shift = 0;                       // fields are in units of 2^shift / 64 grid steps
  std::vector<LatticeVector> vectors;  // every one stands for its opposite too

  bool operator==(const Lattice &other) const {
    return tolerance == other.tolerance && shift == other.shift && vectors == other.vectors;
  }
  void write(std::vector<std::uint8_t> &bytes) const;
  // Throws gpz::Error (corrupt).
  void read(format::ByteReader &reader);
};

// A field has a vector of 16-bit integers for each particle; the fourth of them is 0.
using LatticeField = format::Column<std::int16_t>;
inline constexpr std::size_t field_stride = 4;
inline constexpr std::int32_t field_limit = 32767;

// Symmetric matrices, one for each direction of a network, in the order in which fields are read.
class LatticeMatrices {
 public:
  // Matrix k (xx yy zz xy xz yz) is for directions 2 k and 2 k + 1.
  void set(const std::vector<std::array<std::int16_t, 6>> &matrices);
  // The sum of matrix times field over the neighbours `near`. In each row, all magnitudes add up to 32,768 at most.
  std::array<std::int32_t, core::max_components> sum(const std::uint32_t *near, const LatticeField &field) const {
    const std::size_t length = rows_[0].size();
    const std::size_t count = length / field_stride;
    std::int16_t around[2 * Lattice::max_vectors * field_stride];
    for (std::size_t k = 0; k < count; ++k)
      std::memcpy(&around[k * field_stride], &field[near[k] * field_stride], field_stride * sizeof(std::int16_t));
    const std::int16_t *const rows[] = {rows_[0].data(), rows_[1].data(), rows_[2].data()};
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;
    for (std::size_t k = 0; k < length; ++k) {
      x += rows[0][k] * around[k];
      y += rows[1][k] * around[k];
      z += rows[2][k] * around[k];
    }
    return {x, y, z};
  }
  // The sum of all matrices.
  const std::array<std::array<std::int32_t, core::max_components>, core::max_components> &total() const {
    return total_;
  }
  // Whether sums fit 32 bits.
  static bool fit(const std::vector<std::array<std::int16_t, 6>> &matrices);

 private:
  std::array<std::vector<std::int16_t>, core::max_components> rows_;
  std::array<std::array<std::int32_t, core::max_components>, core::max_components> total_{};
};

class LatticeNetwork {
 public:
  // Finds neighbours and ideal places from the last indices. False if particles are too close to each other for that,
  // or the box is too large.
  bool build(const Lattice &lattice, const cpu::DifferenceState &state, const core::GridBox &box);

  void keep(const std::uint32_t *kept, std::size_t count);
  void add(std::size_t count);

  std::size_t particles() const { return placed_.size(); }
  const Lattice &lattice() const { return lattice_; }
  // Neighbours of a particle: along vector k (2 k) and against it (2 k + 1). The particle itself where there is none.
  std::size_t degree() const { return 2 * lattice_.vectors.size(); }
  const std::uint32_t *neighbours(std::size_t i) const { return &neighbours_[i * degree()]; }
  // Whether the particle has an ideal place.
  bool is_placed(std::size_t i) const { return placed_[i] != 0; }
  std::size_t placed() const { return static_cast<std::size_t>(std::count(placed_.begin(), placed_.end(), 1)); }

  // The way from the ideal place of particle i to index q, in 1/64 grid steps, limited to +-2^29. The particle has one.
  std::int32_t from_place(std::size_t i, std::size_t d, std::int64_t q, const core::GridAxis &axis) const;

  // out = 2 (pull(in) - in) - before, limited; without `before` half of that. `before` may be `out`.
  void step(const LatticeField &in, const LatticeField *before, LatticeField &out, std::size_t first,
            std::size_t last) const;
  // After `lattice` got other springs.
  void use_springs(const Lattice &lattice);

  std::size_t memory_usage() const { return memory_of(neighbours_, placed_, index_, offset_); }

 private:
  bool find_neighbours(const cpu::DifferenceState &state, const core::GridBox &box);
  void find_places(const cpu::DifferenceState &state, const core::GridBox &box);

  Lattice lattice_;
  int components_ = 0;
  format::Column<std::uint32_t> neighbours_;
  format::Column<std::uint8_t> placed_;
  std::array<format::Column<std::int64_t>, core::max_components> index_;   // when the network was built
  std::array<format::Column<std::int32_t>, core::max_components> offset_;  // of that index from the ideal place
  LatticeMatrices springs_;
};

}  // namespace gpz::model
