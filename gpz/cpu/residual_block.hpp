// What is stored of one block of residuals, and the memory to work on it.
#pragma once

#include <cstdint>

#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"

namespace gpz::cpu {

// What the directory stores about a block; its payload length follows from it.
struct ResidualRecord {
  core::ResidualCode code[core::max_components];
  bool triples = false;          // the first code is that of ranks (core/triples.hpp), and there is no other
  std::uint32_t bitmap = 0;      // words of unary codes
  std::uint32_t margin = 0;      // how far beyond periodic edges particles are
  std::uint32_t flags = 0;       // words that say which ones are, of those that may be
  std::uint32_t exceptions = 0;  // indices stored as they are
};

// Working memory of a block.
struct ResidualScratch {
  static constexpr std::uint32_t block_size = core::default_block_size;
  static constexpr std::uint32_t values = core::max_components * block_size;
  // For each value: at most 31 bits of the plane, a unary code of 96 or an exception with its unary bit, and a flag.
  static constexpr std::uint32_t max_words = values * (31 + core::exception_bits + 2) / 32 + 64;

  alignas(64) std::uint32_t residual[block_size];
  alignas(64) std::uint32_t quotient[values + 1];
  std::uint32_t exception[values];  // places
  alignas(64) std::uint32_t words[max_words];
};

// Words of a block of n particles.
std::uint64_t payload_words(const ResidualRecord &record, int components, std::uint32_t n);

}  // namespace gpz::cpu
