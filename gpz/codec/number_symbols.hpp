// SPDX-License-Identifier: BSD-3-Clause
// The parts that encoders of number streams share on all processors: the tables for counted tokens, the symbol that
// stands for each token, and the bytes in front of the segments of a segmented stream.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "gpz/codec/number_tables.hpp"
#include "gpz/core/ans.hpp"

namespace gpz::codec {

// The tokens of a context with their slots.
struct NumberTable {
  std::uint32_t tokens = 0;  // without the escape
  int low = 0;               // raw low bits of a number below its token
  std::array<core::TokenShare, core::number_tokens + 1> share;

  NumberTable(const NumberTables &tables, unsigned context);

  std::uint32_t token(std::uint32_t u) const { return std::min(core::token_of(u >> low), tokens); }
  int bits(std::uint32_t token) const { return token == tokens ? 32 : core::token_bits(token) + low; }
};

// Encoder data for the numbers of a token at full resolution.
struct NumberSymbol {
  std::uint64_t inverse;  // core::ans_inverse
  std::uint16_t start;
  std::uint16_t frequency;  // 0: the token does not occur
  std::uint8_t bits;
};

struct NumberSymbols {
  NumberTables tables;
  std::vector<NumberSymbol> of_token;  // over all contexts
};

// `counts` are those of all contexts, core::number_tokens of each.
NumberSymbols choose_symbols(const std::vector<std::uint32_t> &counts, unsigned contexts);

// Appends what is in front of the segments of a segmented stream (docs/format.md, section 10h). `lengths` are the bytes
// of each segment.
void append_segment_tables(const NumberTables &tables, const std::vector<std::uint32_t> &lengths,
                           std::vector<std::uint8_t> &bytes);

}  // namespace gpz::codec
