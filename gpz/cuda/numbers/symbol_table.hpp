// SPDX-License-Identifier: BSD-3-Clause
// The symbols of an encoder of numbers, packed for the GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpz/codec/number_symbols.hpp"
#include "gpz/cuda/numbers/params.hpp"

namespace gpz::cuda {

inline PackedSymbol packed(const codec::NumberSymbol &symbol) {
  static_assert(core::ans_bits <= PackedSymbol::start_bits && core::ans_bits < PackedSymbol::frequency_bits);
  if (symbol.frequency == 0) return {};
  const auto bits = std::uint32_t{symbol.bits} << PackedSymbol::frequency_bits;
  return {(bits | symbol.frequency) << PackedSymbol::start_bits | symbol.start, UINT32_MAX / symbol.frequency};
}

// Symbols of a context from the first token that occurs to the last one, context after context.
struct SymbolTable {
  std::vector<PackedSymbol> symbols;
  std::vector<std::uint32_t> first;  // of each context: the index of a symbol less its token, modulo 2^32

  SymbolTable(const std::vector<codec::NumberSymbol> &of_token, unsigned contexts) {
    for (unsigned c = 0; c < contexts; ++c) {
      const codec::NumberSymbol *const of_context = &of_token[std::size_t{c} * core::number_tokens];
      std::uint32_t begin = 0;
      std::uint32_t end = core::number_tokens;
      while (end > 0 && of_context[end - 1].frequency == 0) --end;
      while (begin < end && of_context[begin].frequency == 0) ++begin;
      first.push_back(static_cast<std::uint32_t>(symbols.size()) - begin);
      for (std::uint32_t t = begin; t < end; ++t) symbols.push_back(packed(of_context[t]));
    }
  }
};

}  // namespace gpz::cuda
