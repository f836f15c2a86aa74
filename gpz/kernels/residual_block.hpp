// SPDX-License-Identifier: BSD-3-Clause
// One block of residuals: the memory to work on it.
#pragma once

#include <cstdint>

#include "gpz/core/difference_section.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"

namespace gpz::cpu {

using core::ResidualRecord;

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

}  // namespace gpz::cpu
