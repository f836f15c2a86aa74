// SPDX-License-Identifier: BSD-3-Clause
// Kernels for one block of an ordered section, compiled once for each instruction set (gpz/kernels/kernels.hpp).
#pragma once

#include <cstdint>

#include "gpz/core/ordered_section.hpp"
#include "gpz/kernels/residual_block.hpp"

namespace gpz::codec {

using core::OrderedPredictor;
using core::OrderedRecord;

// All pointers start at the first particle of the block.
struct OrderedBlock {
  struct Axis {
    const std::int64_t *q;  // encode only
    std::int64_t *out;      // decode only
    core::GridAxis grid;
  };

  std::uint32_t n;  // at most default_block_size
  int components;
  const std::int64_t *ids;  // nullptr: use indices in the block
  const OrderedPredictor *predictor;
  Axis axes[core::max_components];
};

// A particle is predicted from particle `link & 0xFFFF` with offset number `link >> 16`.
struct OrderedScratch : ResidualScratch {
  static constexpr std::uint32_t no_parent = UINT32_MAX;

  std::uint32_t parent[2][block_size];                                  // for each lag
  std::uint32_t link[2][block_size];                                    // [0]: tries lag[0] first, [1]: lag[1] first
  alignas(64) std::int64_t position[core::max_components][block_size];  // positions inside the box
  std::int64_t sorted[block_size];
};

struct OrderedKernels {
  // Finds the parents and links of a block. Required before the other functions.
  void (*link)(const OrderedBlock &block, OrderedScratch &scratch);
  // Writes the zigzag residuals of component d to scratch.residual. Returns the sum of their rough bits.
  std::uint64_t (*residuals)(const OrderedBlock &block, int d, OrderedScratch &scratch);
  // Bits of component d.
  std::uint64_t (*measure)(const OrderedBlock &block, int d, OrderedScratch &scratch);
  // Writes the payload to scratch.words. Returns the number of words.
  std::uint32_t (*encode)(const OrderedBlock &block, OrderedScratch &scratch, OrderedRecord &record);
  // `words` has the length that the record implies. Returns false if the block contradicts the format.
  bool (*decode)(const OrderedBlock &block, const OrderedRecord &record, const std::uint32_t *words,
                 OrderedScratch &scratch);
};

namespace GPZ_ISA {
extern const OrderedKernels ordered_kernels;
}

}  // namespace gpz::codec
