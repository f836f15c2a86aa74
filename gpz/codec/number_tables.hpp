// SPDX-License-Identifier: BSD-3-Clause
// What a number stream says of its tables: shapes, and the shape and scale of each context (docs/format.md, section
// 10a).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/core/ans.hpp"

namespace gpz::cpu {

// How densely numbers lie, from the least token of a table on.
struct NumberShape {
  std::uint32_t tokens = 0;
  std::uint8_t precision = 0;  // densities are in units of 2^precision / 16 octaves
  bool extrapolated = false;   // densities are stored less what the two before them suggest, else less the one before
  std::uint8_t rice = 0;       // low bits of what is stored
  std::array<std::int16_t, core::number_tokens> density{};  // log2; the first one is 0
};

struct ContextTable {
  std::uint8_t shape = 0;  // 1 + number of a shape; 0: no table, numbers are stored as they are
  std::int16_t scale = 0;  // eighths of an octave
};

struct NumberTables {
  std::uint8_t rice = 0;            // low bits of a change of scale
  std::vector<NumberShape> shapes;  // at most 255
  std::vector<ContextTable> contexts;
};

// Of the tokens of a shape.
using Weights = std::array<std::uint32_t, core::number_tokens>;
Weights weights_of(const NumberShape &shape);

// What stands in the stream for density i of a shape.
std::uint32_t stored_density(const NumberShape &shape, std::uint32_t i);
// Bits of a value below 2^16 with `rice` low bits.
std::uint32_t rice_bits(std::uint32_t value, int rice);
// Bits of a shape; of the tables of all contexts, without the shapes.
std::uint32_t description_bits(const NumberShape &shape);
std::uint32_t description_bits(const NumberTables &tables);

// Appends the tables to `bytes` (a multiple of 2 bytes).
void write_tables(const NumberTables &tables, std::vector<std::uint8_t> &bytes);
// Tables of `contexts` contexts; the bytes that they take. Throws corrupt.
std::size_t read_tables(const std::uint8_t *bytes, std::size_t size, unsigned contexts, NumberTables &tables);

}  // namespace gpz::cpu
