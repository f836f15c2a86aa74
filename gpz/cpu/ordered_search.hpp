// SPDX-License-Identifier: BSD-3-Clause
// The encoder's choice of lags and offsets.
#pragma once

#include <cstdint>

#include "gpz/cpu/ordered_codec.hpp"
#include "gpz/cpu/ordered_kernels.hpp"

namespace gpz::cpu {

// Block b of the section; `q` or `out` may have no columns.
OrderedBlock ordered_block(const OrderedShape &shape, const IndexColumns &q, const IndexOutput &out,
                           const OrderedPredictor &predictor, std::uint64_t b);

// For a chunk with at least one particle.
OrderedPredictor choose_ordered_predictor(const OrderedShape &shape, const IndexColumns &q,
                                          const OrderedKernels &kernels, OrderedScratch &scratch);

}  // namespace gpz::cpu
