// SPDX-License-Identifier: BSD-3-Clause
// The encoder's choice of lags and offsets.
#pragma once

#include <cstdint>
#include <vector>

#include "gpz/codec/ordered_codec.hpp"
#include "gpz/kernels/ordered_kernels.hpp"

namespace gpz::codec {

// Block b of the section; `q` or `out` may have no columns.
OrderedBlock ordered_block(const OrderedShape &shape, const IndexColumns &q, const IndexOutput &out,
                           const OrderedPredictor &predictor, std::uint64_t b);

// Numbers of the sampled blocks of a section of `blocks` > 0.
std::vector<std::uint64_t> sampled_ordered_blocks(std::uint64_t blocks);

// Chooses from at least one sampled block of a section of `particles` particles. The predictors of the blocks are
// ignored.
OrderedPredictor choose_ordered_predictor(std::vector<OrderedBlock> sample, std::size_t particles,
                                          const OrderedKernels &kernels, OrderedScratch &scratch);
// For a chunk with at least one particle.
OrderedPredictor choose_ordered_predictor(const OrderedShape &shape, const IndexColumns &q,
                                          const OrderedKernels &kernels, OrderedScratch &scratch);

}  // namespace gpz::codec
