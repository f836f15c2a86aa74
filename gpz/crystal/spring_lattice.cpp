// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/crystal/spring_lattice.hpp"

#include <cstdlib>

#include "gpz/format/corrupt.hpp"

namespace gpz::crystal {

using format::corrupt;

namespace {

constexpr std::int64_t max_tolerance = std::int64_t{1} << 28;

// Element (r, c) of a symmetric matrix.
std::size_t element(std::size_t r, std::size_t c) { return r == c ? r : r + c + 2; }

}  // namespace

void SpringLattice::write(std::vector<std::uint8_t> &bytes) const {
  format::ByteWriter writer(bytes);
  writer.u8(static_cast<std::uint8_t>(vectors.size()));
  writer.u8(static_cast<std::uint8_t>(shift));
  writer.i64(tolerance);
  for (const SpringVector &vector : vectors) {
    for (const std::int64_t component : vector.separation) writer.i64(component);
    for (const std::int16_t spring : vector.spring) writer.u16(static_cast<std::uint16_t>(spring));
  }
}

void SpringLattice::read(format::ByteReader &reader) {
  const std::size_t count = reader.u8();
  shift = reader.u8();
  tolerance = reader.i64();
  if (count == 0 || count > max_vectors) corrupt("number of lattice vectors", reader.position());
  if (shift > max_shift) corrupt("unit of a lattice", reader.position());
  if (tolerance < 1 || tolerance > max_tolerance) corrupt("tolerance of a lattice", reader.position());
  vectors.assign(count, {});
  std::vector<Spring> springs;
  for (SpringVector &vector : vectors) {
    for (std::int64_t &component : vector.separation) {
      component = reader.i64();
      if (component < -max_separation || component > max_separation) corrupt("vector of a lattice", reader.position());
    }
    for (std::int16_t &spring : vector.spring) spring = static_cast<std::int16_t>(reader.u16());
    springs.push_back(vector.spring);
  }
  if (!SpringMatrices::fit(springs)) corrupt("springs of a lattice", reader.position());
}

void SpringMatrices::set(const std::vector<Spring> &matrices) {
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    rows_[r].assign(2 * matrices.size() * field_stride, 0);
    total_[r] = {};
    for (std::size_t k = 0; k < 2 * matrices.size(); ++k)
      for (std::size_t c = 0; c < rows_.size(); ++c) {
        const std::int16_t x = matrices[k / 2][element(r, c)];
        rows_[r][k * field_stride + c] = x;
        total_[r][c] += x;
      }
  }
}

bool SpringMatrices::fit(const std::vector<Spring> &matrices) {
  for (std::size_t r = 0; r < core::max_components; ++r) {
    std::int64_t sum = 0;
    for (const auto &matrix : matrices)
      for (std::size_t c = 0; c < core::max_components; ++c) sum += 2 * std::abs(std::int32_t{matrix[element(r, c)]});
    if (sum > 32768) return false;
  }
  return true;
}

}  // namespace gpz::crystal
