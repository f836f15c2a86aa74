// SPDX-License-Identifier: BSD-3-Clause
// The kernels of sections in the order of ids, in the order they run.
#pragma once

#include <cuda_runtime.h>

#include "gpz/cuda/ordered/params.hpp"

namespace gpz::cuda {

// Header and records (open.cu).
void launch_open_ordered(const OrderedDecode &params, cudaStream_t stream);
// Once the places of payloads are known, the usual blocks (decode.cu), then all others (decode_other.cu): of values,
// or, where params are those of as_runs, of runs. A section that is not of that kind is left alone.
void launch_decode_ordered(const OrderedDecode &params, bool runs, cudaStream_t stream);
void launch_decode_other_ordered(const OrderedDecode &params, bool runs, cudaStream_t stream);
// Values of the particles of runs (runs.cu).
void launch_expand_runs(const OrderedDecode &params, cudaStream_t stream);

}  // namespace gpz::cuda
