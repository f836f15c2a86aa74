// SPDX-License-Identifier: BSD-3-Clause
// Table description of a number stream: shapes, and the shape and scale of each context (docs/format.md, section 10a).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/ans.hpp"

namespace gpz::codec {

// Density of the numbers at each token.
struct NumberShape {
  std::uint32_t tokens = 0;
  std::uint8_t precision = 0;  // densities are in units of 2^precision / 16 octaves
  bool extrapolated = false;  // densities are stored as differences from a linear extrapolation, else from the previous
  std::uint8_t rice = 0;      // Rice parameter of the stored differences
  std::array<std::int16_t, core::number_tokens> density{};  // log2; the first one is 0
};

struct ContextTable {
  std::uint8_t shape = 0;  // 1 + number of a shape; 0: no table, numbers are stored raw
  std::int16_t scale = 0;  // eighths of an octave
};

struct NumberTables {
  std::uint8_t rice = 0;            // Rice parameter of changes of scale
  std::vector<NumberShape> shapes;  // at most 255
  std::vector<ContextTable> contexts;
};

// Weights of the tokens of a shape.
using Weights = std::array<std::uint32_t, core::number_tokens>;
Weights weights_of(const NumberShape &shape);

// Number stored for density i of a shape.
std::uint32_t stored_density(const NumberShape &shape, std::uint32_t i);
// Bits of a value below 2^16 with `rice` low bits.
std::uint32_t rice_bits(std::uint32_t value, int rice);
// Bits of a shape; bits of all tables without their shapes.
std::uint32_t description_bits(const NumberShape &shape);
std::uint32_t description_bits(const NumberTables &tables);

// Appends the tables to `bytes` (a multiple of 2 bytes).
void write_tables(const NumberTables &tables, std::vector<std::uint8_t> &bytes);
// Reads the tables of `contexts` contexts. Returns the bytes read. Throws corrupt.
std::size_t read_tables(const std::uint8_t *bytes, std::size_t size, unsigned contexts, NumberTables &tables);

}  // namespace gpz::codec
