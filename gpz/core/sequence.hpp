// SPDX-License-Identifier: BSD-3-Clause
// Particles in memory order. The step of each grid index from the previous particle is coded as a symbol and raw low
// bits (docs/format.md, section 10f; docs/decisions/0035).
#pragma once

#include <cstddef>

#include "gpz/core/ans.hpp"
#include "gpz/core/config.hpp"
#include "gpz/core/pack.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"

namespace gpz::core {

// Blocks are larger than in other codings, because each of the 32 lanes costs 2 bytes of final state.
inline constexpr std::uint32_t sequence_block_size = 4096;
inline constexpr std::uint32_t sequence_lanes = 32;
// Symbol 0 is the escape: the step is stored separately. Symbol zero_symbol + s stands for step s without its low bits.
inline constexpr std::uint32_t sequence_symbols = 1024;
inline constexpr std::uint32_t zero_symbol = sequence_symbols / 2;
inline constexpr int max_sequence_shift = 21;
// Symbols form three classes: steps down, about none, and up. The context of a symbol is the class of its component's
// last symbol and that of the symbol coded just before it.
inline constexpr std::uint32_t sequence_classes = 3;
inline constexpr std::uint32_t sequence_contexts = sequence_classes * sequence_classes;  // contexts per component
// Number of possible results of step_magnitude().
inline constexpr std::uint32_t step_magnitudes = 64;

// Mapping from the steps of a component to symbols.
struct SequenceAxis {
  std::uint32_t shift = 0;  // low bits
  std::uint32_t up = 0;     // first symbol of class 1
  std::uint32_t down = 0;   // first symbol of class 2
};

// Symbol frequencies of a context: the escape, and `count` symbols from `first` on.
struct SequenceTable {
  std::uint32_t escape = 0;  // frequency; 0: the context does not occur
  std::uint32_t first = 1;
  std::uint32_t count = 0;
  std::uint32_t width = 0;  // bits of a frequency
};

// Directory entry of a block.
struct SequenceRecord {
  std::uint32_t stream = 0;   // words of 16 bits
  std::uint32_t escapes = 0;  // steps that no symbol can hold
  std::int64_t first[max_components] = {};
};

// Sizes in bytes.
inline constexpr std::size_t sequence_axis_size = 8;
inline constexpr std::size_t sequence_table_size = 8;

inline namespace GPZ_ISA {

GPZ_HD std::uint64_t sequence_blocks(std::uint64_t particles) {
  return (particles + sequence_block_size - 1) / sequence_block_size;
}
GPZ_HD std::uint32_t sequence_tables(int components) {
  return static_cast<std::uint32_t>(components) * sequence_contexts;
}
GPZ_HD std::size_t sequence_record_size(int components) { return 8 + 8 * static_cast<std::size_t>(components); }
GPZ_HD std::size_t sequence_head_size(int components) {
  return static_cast<std::size_t>(components) * sequence_axis_size + sequence_tables(components) * sequence_table_size;
}
GPZ_HD std::uint32_t words_of_table(const SequenceTable &table) { return words_for_bits(table.count * table.width); }

// Particles per lane in a block of n. Lane l begins at particle l * sequence_rows(n); the last lanes may have fewer or
// none.
GPZ_HD std::uint32_t sequence_rows(std::uint32_t n) { return (n + sequence_lanes - 1) / sequence_lanes; }

// Symbol of a step without its low bits, which are stored separately.
GPZ_HD std::uint32_t symbol_of_step(std::int32_t step, std::uint32_t shift) {
  const std::int32_t s = (step >> shift) + static_cast<std::int32_t>(zero_symbol);
  return s > 0 && s < static_cast<std::int32_t>(sequence_symbols) ? static_cast<std::uint32_t>(s) : 0;
}
GPZ_HD std::uint32_t low_bits_of_step(std::int32_t step, std::uint32_t shift) {
  return static_cast<std::uint32_t>(step) & ((1u << shift) - 1);
}
GPZ_HD std::int32_t step_of_symbol(std::uint32_t symbol, std::uint32_t low, std::uint32_t shift) {
  return static_cast<std::int32_t>((symbol - zero_symbol) << shift | low);
}

GPZ_HD std::uint32_t class_of_symbol(std::uint32_t symbol, const SequenceAxis &axis) {
  return symbol < axis.up ? 0 : symbol < axis.down ? 1 : 2;
}

// Context of the next symbol of a lane.
struct SequenceContext {
  std::uint32_t own[max_components] = {1, 1, 1};  // class of the last symbol of each component
  std::uint32_t last = 1;                         // class of the last symbol

  GPZ_HD std::uint32_t table(int d) const {
    return static_cast<std::uint32_t>(d) * sequence_contexts + own[d] * sequence_classes + last;
  }
  GPZ_HD void take(int d, std::uint32_t symbol, const SequenceAxis &axis) {
    take_class(d, class_of_symbol(symbol, axis));
  }
  GPZ_HD void take_class(int d, std::uint32_t its_class) { own[d] = last = its_class; }
};

// Bits of a step's magnitude.
GPZ_HD std::uint32_t step_magnitude(std::int64_t step) {
  return static_cast<std::uint32_t>(bit_length(static_cast<std::uint64_t>(step < 0 ? -step : step)));
}

// Limit of a block's words without its stream. Encoders give up on larger blocks.
GPZ_HD std::uint32_t sequence_room(int components) {
  return static_cast<std::uint32_t>(components) * sequence_block_size + 512;
}
// Limit of a stream's 16-bit words: each symbol takes at most one.
GPZ_HD std::uint32_t stream_room(int components) {
  return static_cast<std::uint32_t>(components) * sequence_block_size;
}

// Chooses the axis from a histogram of step magnitudes. Returns false if a step does not fit in 32 bits. More low bits
// cost small steps excess bits and save escapes; the shift with the least sum wins. Classes are divided at half of a
// typical step.
GPZ_HD bool choose_sequence_axis(const std::uint32_t *steps_with, SequenceAxis &axis) {
  constexpr std::uint32_t magnitude_bits = 9;  // bits of zero_symbol - 1
  constexpr std::uint32_t steps_end = 32;
  constexpr std::uint32_t escape_bits = 32;
  std::uint64_t all = 0;
  for (std::uint32_t b = 0; b < step_magnitudes; ++b) {
    all += steps_with[b];
    if (b >= steps_end - 1 && steps_with[b] != 0) return false;
  }
  std::uint64_t least = ~std::uint64_t{0};
  axis.shift = 0;
  for (std::uint32_t shift = 0; shift <= max_sequence_shift; ++shift) {
    std::uint64_t cost = 0;
    for (std::uint32_t b = 0; b < steps_end; ++b)
      cost += std::uint64_t{steps_with[b]} * (b > shift + magnitude_bits ? escape_bits : b < shift ? shift - b : 0);
    if (cost >= least) continue;
    least = cost;
    axis.shift = shift;
  }
  std::uint64_t larger = all;
  std::uint32_t usual = 0;
  for (std::uint32_t b = 0; b < steps_end && larger * 2 > all; ++b) {
    larger -= steps_with[b];
    usual = b;
  }
  const std::uint32_t half = usual < 3 ? 0 : min_of((3u << (usual - 3)) >> axis.shift, zero_symbol - 1);
  axis.up = zero_symbol - half;
  axis.down = zero_symbol + half + 1;
  return true;
}

// True if a symbol with this count out of `all` gets a single slot. Other symbols share the remaining slots.
GPZ_HD bool is_rare(std::uint64_t count, std::uint64_t all) { return count * ans_total < 2 * all; }
// First slot of a symbol. `rare_before` and `before` are the number of rare symbols and the count of common symbols
// before it; `rare` and `common` are the totals. Each common symbol gets at least one slot, since there are at most
// sequence_symbols symbols.
GPZ_HD std::uint32_t slots_before(std::uint32_t rare_before, std::uint64_t before, std::uint32_t rare,
                                  std::uint64_t common) {
  return rare_before + static_cast<std::uint32_t>(before * (ans_total - rare) / common);
}

// Number of rare symbols and total count of common symbols, for one symbol or a range of symbols.
struct SymbolCounts {
  std::uint32_t rare = 0;
  std::uint64_t common = 0;
};
// Escapes get a share even with count 0, since any block may need one.
GPZ_HD bool is_used(std::uint32_t symbol, std::uint32_t count) { return symbol == 0 || count != 0; }
GPZ_HD SymbolCounts counts_of(std::uint32_t symbol, std::uint32_t count, std::uint64_t all) {
  if (!is_used(symbol, count)) return {};
  return is_rare(count, all) ? SymbolCounts{1, 0} : SymbolCounts{0, count};
}
GPZ_HD TokenShare share_of_symbol(const SymbolCounts &before, const SymbolCounts &own, const SymbolCounts &all) {
  const std::uint32_t start = slots_before(before.rare, before.common, all.rare, all.common);
  const std::uint32_t end = slots_before(before.rare + own.rare, before.common + own.common, all.rare, all.common);
  return {start, end - start};
}

// Frequency of a symbol in a table. `string` has words_of_table() words.
GPZ_HD std::uint32_t frequency_of(const SequenceTable &table, const std::uint32_t *string, std::uint32_t symbol) {
  if (symbol == 0) return table.escape;
  if (symbol < table.first || symbol >= table.first + table.count) return 0;
  const std::uint64_t bit = std::uint64_t{symbol - table.first} * table.width;
  return static_cast<std::uint32_t>(get_bits(string, bit, static_cast<int>(table.width)));
}
// Required sum of a table's frequencies, and the check that padding bits after them are 0.
GPZ_HD std::uint32_t sum_of_frequencies(const SequenceTable &table) { return table.escape == 0 ? 0 : ans_total; }
GPZ_HD bool has_clean_end(const SequenceTable &table, const std::uint32_t *string) {
  const std::uint32_t bits = table.count * table.width;
  return bits % 32 == 0 || string[bits / 32] >> (bits % 32) == 0;
}

GPZ_HD bool is_valid(const SequenceAxis &axis) {
  return axis.shift <= max_sequence_shift && axis.up < sequence_symbols && axis.down <= sequence_symbols;
}
GPZ_HD bool is_valid(const SequenceTable &table) {
  if (table.escape == 0) return table.first == 1 && table.count == 0 && table.width == 0;
  return table.escape <= ans_total && table.first > 0 && table.first + table.count <= sequence_symbols &&
         table.width <= ans_bits + 1;
}
GPZ_HD bool is_valid(const SequenceRecord &record, int components, std::uint32_t n) {
  const std::uint32_t values = n * static_cast<std::uint32_t>(components);
  return record.stream <= values && record.escapes <= values;
}

// Layout of a block; all numbers are in words.
struct SequenceLayout {
  std::uint32_t low_words[max_components] = {};
  std::uint32_t escapes_at = 0;
  std::uint32_t states_at = 0;
  std::uint32_t stream_at = 0;
  std::uint32_t total = 0;

  GPZ_HD SequenceLayout(const SequenceAxis *axes, int components, std::uint32_t n, const SequenceRecord &record) {
    const std::uint32_t padded = sequence_rows(n) * sequence_lanes;
    for (int d = 0; d < components; ++d) {
      low_words[d] = packed_words(padded, static_cast<int>(axes[d].shift), sequence_lanes);
      escapes_at += low_words[d];
    }
    states_at = escapes_at + record.escapes;
    stream_at = states_at + sequence_lanes;
    total = stream_at + (record.stream + 1) / 2;
  }
};

}  // namespace GPZ_ISA
}  // namespace gpz::core
