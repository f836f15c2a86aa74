// SPDX-License-Identifier: BSD-3-Clause
// The tables of gpz/core/triples.hpp in device memory.
#pragma once

#include "gpz/core/triples.hpp"

namespace gpz::cuda {

static __device__ const core::TripleRanks triple_ranks = core::rank_triples();

}  // namespace gpz::cuda
