// SPDX-License-Identifier: BSD-3-Clause
// Working memory for one block of residuals.
#pragma once

#include <cstdint>

#include "gpz/core/difference_section.hpp"
#include "gpz/core/residual.hpp"
#include "gpz/core/types.hpp"

namespace gpz::codec {

using core::ResidualRecord;

struct ResidualScratch {
  static constexpr std::uint32_t block_size = core::default_block_size;
  static constexpr std::uint32_t values = core::max_components * block_size;
  // Limit per value: 31 bits in the plane, then a unary code of 96 bits or an exception with its unary bit, and a flag.
  static constexpr std::uint32_t max_words = values * (31 + core::exception_bits + 2) / 32 + 64;

  alignas(64) std::uint32_t residual[block_size];
  alignas(64) std::uint32_t quotient[values + 1];
  std::uint32_t exception[values];  // indices of values
  alignas(64) std::uint32_t words[max_words];
};

}  // namespace gpz::codec
