// SPDX-License-Identifier: BSD-3-Clause
// A lattice of particles joined by springs: the vectors from each particle to its neighbours, and the springs along
// them (docs/format.md, section 10c). Not to be confused with SiteLattice, which has cells with sites.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gpz/core/types.hpp"
#include "gpz/crystal/integers.hpp"
#include "gpz/format/budget.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/kernels/springs.hpp"

namespace gpz::crystal {

// A symmetric matrix: xx yy zz xy xz yz.
template <typename T>
using Symmetric = std::array<T, 6>;
inline constexpr Symmetric<std::size_t> symmetric_row = {0, 1, 2, 0, 0, 1};
inline constexpr Symmetric<std::size_t> symmetric_column = {0, 1, 2, 1, 2, 2};
using Spring = Symmetric<std::int16_t>;  // in 2^-12

// Vector to a neighbour, in 2^-16 grid steps, and the spring to it.
struct SpringVector {
  std::array<std::int64_t, core::max_components> separation{};
  Spring spring{};

  bool operator==(const SpringVector &other) const { return separation == other.separation && spring == other.spring; }
};

struct SpringLattice {
  static constexpr std::size_t max_vectors = core::max_spring_neighbours / 2;
  static constexpr int separation_bits = 16;
  static constexpr int spring_bits = core::spring_bits;
  static constexpr std::int64_t max_separation = std::int64_t{1} << 44;  // 2^28 grid steps
  static constexpr int max_shift = 24;

  std::int64_t tolerance = 0;         // largest distance of a neighbour from the end of its vector, grid steps
  int shift = 0;                      // fields are in units of 2^shift / 64 grid steps
  std::vector<SpringVector> vectors;  // each also represents its opposite

  bool operator==(const SpringLattice &other) const {
    return tolerance == other.tolerance && shift == other.shift && vectors == other.vectors;
  }
  void write(std::vector<std::uint8_t> &bytes) const;
  // Throws gpz::Error (corrupt).
  void read(format::ByteReader &reader);
};

// A field: a vector of 16-bit integers per particle. The fourth component is 0.
using LatticeField = format::Column<std::int16_t>;
using core::field_limit;
using core::field_stride;

template <typename Integer>
std::int16_t to_field(Integer x) {
  return static_cast<std::int16_t>(std::clamp<Integer>(x, -field_limit, field_limit));
}

// Symmetric matrices, one per direction of a network, in the order of fields.
class SpringMatrices {
 public:
  // Matrix k belongs to directions 2 k and 2 k + 1.
  void set(const std::vector<Spring> &matrices);
  // Sum over the neighbours `near` of matrix times field. In each row, magnitudes add up to at most 32,768.
  std::array<std::int32_t, core::max_components> sum(const std::uint32_t *near, const LatticeField &field) const {
    return core::weighted_sums(rows(), near, rows_[0].size() / field_stride, field.data());
  }
  // The weights of the neighbours, `field_stride` for each, for each component of a sum.
  std::array<const std::int16_t *, core::max_components> rows() const {
    return {rows_[0].data(), rows_[1].data(), rows_[2].data()};
  }
  const std::array<std::array<std::int32_t, core::max_components>, core::max_components> &total() const {
    return total_;
  }
  // Whether sums fit in 32 bits.
  static bool fit(const std::vector<Spring> &matrices);

 private:
  std::array<std::vector<std::int16_t>, core::max_components> rows_;
  std::array<std::array<std::int32_t, core::max_components>, core::max_components> total_{};
};

}  // namespace gpz::crystal
