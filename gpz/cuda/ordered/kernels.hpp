// SPDX-License-Identifier: BSD-3-Clause
// Kernels of ordered sections, in the order in which they run.
#pragma once

#include <cuda_runtime.h>

#include "gpz/cuda/ordered/params.hpp"

namespace gpz::cuda {

// Opens header and records (open.cu).
void launch_open_ordered(const OrderedDecode &params, cudaStream_t stream);
// Decode the blocks, once the offsets of payloads are known: common blocks (decode.cu), then all others
// (decode_other.cu). They decode values, or runs if `params` comes from as_runs(). A section of the other kind is left
// alone.
void launch_decode_ordered(const OrderedDecode &params, bool runs, cudaStream_t stream);
void launch_decode_other_ordered(const OrderedDecode &params, bool runs, cudaStream_t stream);
// Expands runs to values of particles (runs.cu).
void launch_expand_runs(const OrderedDecode &params, cudaStream_t stream);

}  // namespace gpz::cuda
